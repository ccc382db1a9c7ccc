import { revisionNumber } from '../../../host/evm/chain-types/revision.ts'
import { compileAssembly } from '../../support/engine/assembly.ts'

const SOURCE = `
import { precompileId } from './assembly/precompile/precompile'
import {
  isHostPrecompile, precompileGas, runPrecompile,
} from './assembly/precompile/generated/dispatch'
export const INPUT: usize = memory.data(1048576)
export const OUTPUT: usize = memory.data(1048576)
export function id(revision: i32): i32 { return precompileId(INPUT, revision) }
export function gas(id: i32, length: u32, revision: i32): u64 {
  return precompileGas(id, INPUT, length, revision)
}
export function run(id: i32, length: u32, revision: i32): i32 {
  return runPrecompile(id, INPUT, length, revision, OUTPUT)
}
export { isHostPrecompile }
`

interface Exports {
  readonly memory: WebAssembly.Memory
  readonly INPUT: WebAssembly.Global
  readonly OUTPUT: WebAssembly.Global
  id(revision: number): number
  gas(id: number, length: number, revision: number): bigint
  run(id: number, length: number, revision: number): number
  isHostPrecompile(id: number): number
}

/** The precompile table in its own module. */
export class PrecompileModule {
  readonly #exports: Exports
  readonly #memory: Uint8Array

  private constructor(exports: Exports) {
    this.#exports = exports
    this.#memory = new Uint8Array(exports.memory.buffer)
  }

  static async open(): Promise<PrecompileModule> {
    const instance = new WebAssembly.Instance(await compileAssembly(SOURCE))
    return new PrecompileModule(instance.exports as unknown as Exports)
  }

  id(address: Uint8Array, revision: number): number {
    this.#write(address)
    return this.#exports.id(revision)
  }

  /** Returns the gas, or undefined if it is above any limit. */
  gas(id: number, input: Uint8Array, revision: number): bigint | undefined {
    this.#write(input)
    const gas = BigInt.asUintN(64, this.#exports.gas(id, input.length, revision))
    return gas === 0xffffffffffffffffn ? undefined : gas
  }

  isHost(id: number): boolean {
    return this.#exports.isHostPrecompile(id) !== 0
  }

  /**
   * Returns the output, or undefined if the call fails. The default is the last revision without a limit on the
   * input.
   */
  run(id: number, input: Uint8Array, revision = revisionNumber('Prague')): Uint8Array | undefined {
    this.#write(input)
    const length = this.#exports.run(id, input.length, revision)
    const output: number = this.#exports.OUTPUT.value
    return length < 0 ? undefined : this.#memory.slice(output, output + length)
  }

  #write(input: Uint8Array): void {
    const start: number = this.#exports.INPUT.value
    this.#memory.set(input, start)
    // Bytes behind the input must have no effect.
    this.#memory.fill(0xa5, start + input.length, start + input.length + 512)
  }
}
