/** A height in 8 bytes, big-endian: as a key, heights ascend. */
export function encodeHeight(height: number): Uint8Array {
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setBigUint64(0, BigInt(height))
  return bytes
}

export function decodeHeight(bytes: Uint8Array): number {
  return Number(new DataView(bytes.buffer, bytes.byteOffset, 8).getBigUint64(0))
}
