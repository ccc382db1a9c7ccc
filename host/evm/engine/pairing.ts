import { LockstepError, messageOf } from '../../base/error.ts'
import { formatData } from '../../base/hex.ts'
import { HOST_PRECOMPILES } from '../chain-types/generated/precompile.ts'
import { findFailure, type PrecompileFailure, type TryPrecompile } from './precompile-failure.ts'

/** Exports of pairing.wasm, documented in assembly/pairing.ts. */
interface PairingExports {
  readonly memory: WebAssembly.Memory
  readonly inputAt: WebAssembly.Global
  readonly outputAt: WebAssembly.Global
  _initialize(): void
  begin(id: number, length: number): number
  absorb(length: number): number
  finish(): number
}

/**
 * The precompiles that the engine leaves to the host: HOST_PRECOMPILES, those of `isHostPrecompile` in
 * assembly/precompile. The engine has already charged the gas. The module is instantiated at the first call, because
 * most blocks need none.
 */
export class Pairing {
  readonly #module: WebAssembly.Module | undefined
  #exports: PairingExports | undefined

  /** @param module pairing.wasm, compiled; calls fail with ENGINE_FAULT without it */
  constructor(module: WebAssembly.Module | undefined) {
    this.#module = module
  }

  /**
   * @param address 20 bytes
   * @returns the output, or undefined if the call fails, which uses all its gas
   * @throws {LockstepError} ENGINE_FAULT for another address, or without the module
   */
  call(address: Uint8Array, input: Uint8Array): Uint8Array | undefined {
    const id = address[19] ?? 0
    const isLow = address.subarray(0, 19).every((byte) => byte === 0)
    if (!isLow || !HOST_PRECOMPILES.has(id)) {
      throw new LockstepError('ENGINE_FAULT', `no pairing precompile at ${formatData(address)}`)
    }
    return this.#run(id, input)
  }

  /** Returns the reason why `call` returned undefined. */
  failureOf(address: Uint8Array, input: Uint8Array): PrecompileFailure {
    const id = address[19] ?? 0
    const attempt: TryPrecompile = (other, tried) => this.#run(other, tried) !== undefined
    if (this.#exports?.begin(id, input.length) === 0) return 'invalid input length'
    return findFailure(id, input, attempt) ?? 'precompile failed'
  }

  #run(id: number, input: Uint8Array): Uint8Array | undefined {
    this.#exports ??= instantiatePairing(this.#module)
    const exports = this.#exports
    const memory = new Uint8Array(exports.memory.buffer)
    const chunkLength = exports.begin(id, input.length)
    if (chunkLength === 0) return undefined
    for (let offset = 0; offset < input.length; offset += chunkLength) {
      const chunk = input.subarray(offset, offset + chunkLength)
      memory.set(chunk, exports.inputAt.value)
      if (exports.absorb(chunk.length) === 0) return undefined
    }
    const length = exports.finish()
    return memory.slice(exports.outputAt.value, exports.outputAt.value + length)
  }
}

function instantiatePairing(module: WebAssembly.Module | undefined): PairingExports {
  if (module === undefined) {
    throw new LockstepError(
      'ENGINE_FAULT',
      'a pairing precompile was called without pairing.wasm',
      {
        hint: 'pass the compiled module in the engine options',
      },
    )
  }
  try {
    const exports = new WebAssembly.Instance(module).exports as unknown as PairingExports
    exports._initialize()
    return exports
  } catch (thrown) {
    throw new LockstepError('ENGINE_FAULT', `pairing.wasm does not load: ${messageOf(thrown)}`, {
      hint: 'in a checkout, run `npm run build`; otherwise reinstall the package',
      cause: thrown,
    })
  }
}
