# Sourced by the workloads: cases, studies, a server whose CPU time is known, timed runs.
source "$(dirname "${BASH_SOURCE[0]}")/../../accept/setup.sh"
ticks=$(getconf CLK_TCK)

# COUNT cases of 1 kB, four options each, into cases.jsonl.
make_cases() {
  python3 - "$1" <<'PYTHON'
import json, random, sys
r = random.Random(20261130)
words = "fever cough oedema pallor rash headache nausea syncope ataxia dyspnoea haematuria jaundice wheeze tremor fatigue".split()
drugs = "metformin insulin glipizide lisinopril aspirin warfarin heparin digoxin furosemide amlodipine".split()
stories = [" ".join(r.choices(words, k=120)) for _ in range(997)]
with open("cases.jsonl", "w") as out:
    for number in range(int(sys.argv[1])):
        story = stories[number * 31 % 997][:900]
        case = {"id": f"case-{number:07d}", "question": f"Patient {number}, aged {20 + number % 70}: {story}. Which drug comes next?",
                "options": r.sample(drugs, 4), "answer": "ABCD"[number % 4],
                "specialty": ("Cardiology", "Neurology", "Oncology", "Paediatrics")[number % 4]}
        out.write(json.dumps(case) + "\n")
PYTHON
}

# A study of one system over cases.jsonl: name, concurrency, more limits.
make_study() {
  cat > study.toml <<TOML
[study]
name = "$1"
[[dataset]]
name = "cases"
adapter = "table"
path = "cases.jsonl"
answer_form = "choice"
fields = { id = "id", question = "question", options = "options", gold = "answer", specialty = "specialty" }
[[backend]]
name = "mock"
kind = "openai"
base_url = "$base_url"
model = "mock"
limits = { concurrency = $2${3:+, $3} }
[[system]]
name = "direct"
solver = "direct"
backend = "mock"
[[scorer]]
kind = "choice"
TOML
}

# Seconds of CPU a process has used.
cpu_of() { awk -v t="$ticks" '{ sub(/^.*\) /, ""); print ($12 + $13) / t }' "/proc/$1/stat"; }

# Runs study.toml as a new run; sets run, wall, cpu, rss (MB), server_cpu, requests and busy (seconds in which the
# server had something to do).
timed_run() {
  local before after
  before=$(cpu_of "${servers[-1]}")
  run=$(/usr/bin/time -f '%e %U %S %M' -o time.txt "$consilium" run study.toml --new-run --no-score 2> run.log) || { tail -n 5 run.log >&2; fail run; }
  after=$(cpu_of "${servers[-1]}")
  read -r wall cpu rss < <(tail -n 1 time.txt | awk '{ printf "%.2f %.2f %.0f\n", $1, $2 + $3, $4 / 1024 }')
  server_cpu=$(awk -v a="$after" -v b="$before" 'BEGIN { printf "%.2f", a - b }')
  requests=$(stat_of requests) busy=$(awk -v m="$(stat_of busy_micros)" 'BEGIN { printf "%.3f", m / 1e6 }')
}

stop_server() { kill "${servers[-1]}" && wait "${servers[-1]}" 2>/dev/null || true; unset 'servers[-1]'; rm -f mock.address; }

# Whether a condition over numbers holds, for example: holds 3.5 '>=' 3.4
holds() { awk "BEGIN { exit !($1 $2 $3) }"; }
