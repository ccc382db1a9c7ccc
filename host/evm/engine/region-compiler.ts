import type { CompiledCodeSettings, CompiledRegion, HotCode } from './compiled-code.ts'

/** Exports of compile.wasm, documented in assembly/compile.ts. */
interface CompilerExports {
  readonly memory: WebAssembly.Memory
  readonly codeAt: WebAssembly.Global
  readonly codeSize: WebAssembly.Global
  readonly bitmapAt: WebAssembly.Global
  readonly outputAt: WebAssembly.Global
  _initialize(): void
  compile(
    pc: number,
    length: number,
    revision: number,
    most: number,
    few: number,
    least: number,
  ): number
  instanceCount(): number
}

/** Zeros that follow the code in the module's memory. */
const PADDING = 64

/** Compiles regions of EVM code to WebAssembly modules, with an instance of compile.wasm. */
export class RegionCompiler {
  readonly #exports: CompilerExports
  readonly #blocks: number
  readonly #blocksWithoutLoop: number
  readonly #opcodes: number

  constructor({
    compiler,
    blocks = 48,
    blocksWithoutLoop = 16,
    opcodes = 64,
  }: Omit<CompiledCodeSettings, 'thread'>) {
    this.#exports = new WebAssembly.Instance(compiler, {}).exports as unknown as CompilerExports
    this.#exports._initialize()
    this.#blocks = blocks
    this.#blocksWithoutLoop = blocksWithoutLoop
    this.#opcodes = opcodes
  }

  compile(hot: HotCode): CompiledRegion {
    const started = performance.now()
    const bytes = this.#translate(hot)
    let module: WebAssembly.Module | undefined
    let isForbidden = false
    if (bytes !== undefined) {
      try {
        module = new WebAssembly.Module(bytes)
      } catch {
        isForbidden = true
      }
    }
    const milliseconds = performance.now() - started
    return { module, size: bytes?.length ?? 0, milliseconds, isForbidden }
  }

  /** Returns the bytes of the module; undefined if the code is not worth compiling. */
  #translate({ code, bitmap, offset, revision }: HotCode): Uint8Array<ArrayBuffer> | undefined {
    const exports = this.#exports
    if (code.length + PADDING > exports.codeSize.value) return undefined
    const memory = new Uint8Array(exports.memory.buffer)
    memory.set(code, exports.codeAt.value)
    memory.set(bitmap, exports.bitmapAt.value)
    const size = exports.compile(
      offset,
      code.length,
      revision,
      this.#blocks,
      this.#blocksWithoutLoop,
      this.#opcodes,
    )
    if (size === 0) return undefined
    const output = exports.outputAt.value
    return memory.slice(output, output + size)
  }
}
