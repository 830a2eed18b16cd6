//! Hashes of files a run depends on.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use consilium_core::canonical::hex;
use sha2::{Digest, Sha256};

use crate::StoreError;

/// SHA-256 of a file, lowercase hexadecimal; the file is streamed.
///
/// # Errors
/// When the file cannot be read.
pub fn sha256_file(path: &Path) -> Result<String, StoreError> {
    let mut file = File::open(path).map_err(StoreError::io("read", path))?;
    sha256_of(&mut file).map_err(StoreError::io("read", path))
}

fn sha256_of(reader: &mut impl Read) -> io::Result<String> {
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match reader.read(&mut buffer) {
            Ok(0) => return Ok(hex(&hasher.finalize())),
            Ok(length) => hasher.update(&buffer[..length]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use consilium_core::canonical::sha256_hex;

    #[test]
    fn a_file_longer_than_the_buffer_hashes_as_its_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("data");
        let bytes: Vec<u8> = (0..200_000_u32).flat_map(u32::to_le_bytes).collect();
        std::fs::write(&path, &bytes).unwrap();
        assert_eq!(sha256_file(&path).unwrap(), sha256_hex(&bytes));
    }

    #[test]
    fn a_missing_file_is_named() {
        let error = sha256_file(Path::new("/no/such/file")).unwrap_err();
        assert_eq!(error.to_string(), "read /no/such/file");
    }
}
