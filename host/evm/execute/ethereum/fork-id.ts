import type { EthereumGenesis } from './genesis.ts'

/** Returns the CRC-32 (IEEE) of bytes. `before` is the CRC of the preceding bytes. */
function crc32(bytes: Uint8Array, before = 0): number {
  let crc = ~before
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0)
  }
  return ~crc
}

function bigEndian64(value: bigint): Uint8Array {
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setBigUint64(0, value)
  return bytes
}

/**
 * Returns the 4-byte fork hash of a network at a block (EIP-2124; by time EIP-6122): CRC-32 of the genesis hash and
 * of each fork's number or time.
 */
export function forkId(
  genesisHash: Uint8Array,
  { blocks, times }: EthereumGenesis['checkpoints'],
  number: bigint,
  time: bigint,
): Uint8Array {
  let crc = crc32(genesisHash)
  for (const block of blocks) if (block <= number) crc = crc32(bigEndian64(block), crc)
  for (const fork of times) if (fork <= time) crc = crc32(bigEndian64(fork), crc)
  const bytes = new Uint8Array(4)
  new DataView(bytes.buffer).setInt32(0, crc)
  return bytes
}
