/**
 * Open addressing over dense arrays of entries: an index holds u32 addresses of entries; 0 marks a free cell.
 * Transaction senders choose the keys, so the host seeds the hash. The seed changes which cells are probed, never a
 * result or an order.
 */
let seed: u64 = 0

export function seedHashes(value: u64): void {
  seed = value
}

@inline
function mix(hash: u64, value: u64): u64 {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15
  return hash ^ (hash >> 29)
}

/** Hashes a 20-byte address. */
@inline
export function hashAddress(address: usize): u32 {
  let hash = mix(seed, load<u64>(address))
  hash = mix(hash, load<u64>(address, 8))
  hash = mix(hash, load<u32>(address, 16))
  return u32(hash >> 32)
}

/** Hashes a word under an owner (an account's entry, or 0). */
@inline
export function hashWord(owner: usize, word: usize): u32 {
  let hash = mix(mix(seed, u64(owner)), load<u64>(word))
  hash = mix(hash, load<u64>(word, 8))
  hash = mix(hash, load<u64>(word, 16))
  hash = mix(hash, load<u64>(word, 24))
  return u32(hash >> 32)
}
