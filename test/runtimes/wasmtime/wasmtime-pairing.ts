import type { WasmtimeInstance } from './wasmtime.ts'

const MEMORY_BYTES = 32 << 16

/** Runs a precompile of pairing.wasm in wasmtime. Returns undefined if it fails. */
export function callPairing(
  instance: WasmtimeInstance,
  id: number,
  input: Uint8Array,
): Uint8Array | undefined {
  const memory = new Uint8Array(MEMORY_BYTES)
  const words = new Int32Array(memory.buffer)
  const inputAt = instance.call('get:inputAt')
  const outputAt = instance.call('get:outputAt')
  const chunkLength = instance.call('begin', id, input.length)
  if (chunkLength === 0) return undefined
  for (let offset = 0; offset < input.length; offset += chunkLength) {
    const chunk = input.subarray(offset, offset + chunkLength)
    memory.set(chunk, inputAt)
    instance.push(words, inputAt, chunk.length)
    if (instance.call('absorb', chunk.length) === 0) return undefined
  }
  const length = instance.call('finish')
  instance.pull(words, outputAt, length)
  return memory.slice(outputAt, outputAt + length)
}
