import type { EngineMemory } from './memory.ts'
import type { EngineExports } from './module.ts'
import { opcodeName } from './opcode.ts'
import type { StepText } from './trace-event.ts'

/** Bytes of an opcode name in the engine's memory (assembly/layout.ts). The first byte is its length. */
const NAME_SIZE = 48

/** Has the engine write steps as text. Supplies the opcode names and locates the text. */
export class StepEncoder implements StepText {
  readonly bytes: Uint8Array
  readonly headEnd: number
  end = 0
  readonly #exports: EngineExports
  readonly #fields: Uint32Array
  readonly #partsAt: number

  constructor(exports: EngineExports, memory: EngineMemory) {
    this.bytes = memory.bytes
    this.#exports = exports
    this.#fields = new Uint32Array(memory.bytes.buffer)
    this.#partsAt = exports.stepTextAt.value >> 2
    this.headEnd = exports.stepStackAt.value
    const encoder = new TextEncoder()
    for (let opcode = 0; opcode < 256; opcode++) {
      const text = encoder.encode(`,"op":"${opcodeName(opcode)}","gas":`)
      const at = exports.stepNamesAt.value + opcode * NAME_SIZE
      memory.bytes[at] = text.length
      memory.bytes.set(text, at + 1)
    }
  }

  get start(): number {
    return this.#fields[this.#partsAt] as number
  }

  get stackEnd(): number {
    return this.#fields[this.#partsAt + 1] as number
  }

  encode(record: number, hasStack: boolean): this {
    this.end = this.#exports.encodeStep(record, hasStack ? 1 : 0)
    return this
  }
}
