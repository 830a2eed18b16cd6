//! One choice of instructions for all arithmetic, made when the program runs.

/// Instruction sets that the arithmetic is built for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Instructions {
    /// 16 lanes with fused multiply-add.
    Avx512,
    /// 8 lanes with fused multiply-add.
    Avx2,
    /// Whatever the program was built for.
    Portable,
}

impl Instructions {
    /// The widest set of this machine.
    #[inline]
    pub(super) fn best() -> Self {
        // The standard library asks the processor once and remembers.
        #[cfg(target_arch = "x86_64")]
        {
            if std::arch::is_x86_feature_detected!("avx512f")
                && std::arch::is_x86_feature_detected!("avx512bw")
                && std::arch::is_x86_feature_detected!("avx512dq")
                && std::arch::is_x86_feature_detected!("avx512vl")
            {
                return Self::Avx512;
            }
            if std::arch::is_x86_feature_detected!("avx2")
                && std::arch::is_x86_feature_detected!("fma")
            {
                return Self::Avx2;
            }
        }
        Self::Portable
    }

    /// Those of the sets that this machine has.
    #[cfg(test)]
    pub(super) fn available() -> Vec<Self> {
        let mut sets = vec![Self::Portable];
        match Self::best() {
            Self::Avx512 => sets.extend([Self::Avx2, Self::Avx512]),
            Self::Avx2 => sets.push(Self::Avx2),
            Self::Portable => {}
        }
        sets
    }
}

/// Work over many numbers that the compiler turns into wide instructions.
///
/// `run` and what it calls must be `#[inline(always)]`: only then are they built for the
/// instructions that were chosen.
pub(super) trait Vectorised {
    /// Does the work; `FUSED` says whether multiply-add is one instruction.
    fn run<const FUSED: bool>(self);
}

/// Does work by the widest instructions of this machine.
#[inline]
pub(super) fn vectorised(work: impl Vectorised) {
    match Instructions::best() {
        #[cfg(target_arch = "x86_64")]
        #[expect(unsafe_code, reason = "the processor was asked whether it has them")]
        Instructions::Avx512 => unsafe { by_avx512(work) },
        #[cfg(target_arch = "x86_64")]
        #[expect(unsafe_code, reason = "the processor was asked whether it has them")]
        Instructions::Avx2 => unsafe { by_avx2(work) },
        // NEON, the base of 64-bit ARM, has it; the base of x86 has not.
        _ => work.run::<{ cfg!(target_arch = "aarch64") }>(),
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
fn by_avx512(work: impl Vectorised) {
    work.run::<true>();
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn by_avx2(work: impl Vectorised) {
    work.run::<true>();
}
