import { makeRandom } from '../../support/random.ts'

export interface CurveModule {
  readonly exports: Record<string, (...values: number[]) => number>
  /** The 256 bytes that a test source exports as BUFFER. */
  readonly buffer: Uint8Array
}

export function openCurve(module: WebAssembly.Module): CurveModule {
  const { exports } = new WebAssembly.Instance(module)
  const { memory, BUFFER } = exports as { memory: WebAssembly.Memory; BUFFER: WebAssembly.Global }
  return {
    exports: exports as Record<string, (...values: number[]) => number>,
    buffer: new Uint8Array(memory.buffer, BUFFER.value, 256),
  }
}

/** Returns a generator of reproducible 320-bit numbers. */
export function makeRandomBigint(seed: number): () => bigint {
  const random = makeRandom(seed)
  return () => {
    let value = 0n
    for (let i = 0; i < 10; i++) value = (value << 32n) | BigInt(Math.floor(random() * 2 ** 32))
    return value
  }
}
