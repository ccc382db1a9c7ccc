/**
 * Checks the built modules. They must import nothing and must not use floating point, relaxed SIMD or atomics. Only
 * the engine may grow its memory: if the host refuses, the run ends with an engine error, never with a result. The
 * engine must dispatch opcodes through a br_table of 256 targets. node tools/scan-wasm.ts [module.wasm]...; without
 * arguments the modules in build/. Exit 1 on a breach.
 */
import { readFileSync } from 'node:fs'
import { basename, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { WasmReader } from './wasm-reader.ts'

const SECTION = { type: 1, import: 2, export: 7, code: 10 } as const

/** The scan of one module. */
export interface Scan {
  readonly imports: readonly string[]
  /** One line per forbidden instruction: what and where. */
  readonly breaches: readonly string[]
  /** Functions with memory.grow. */
  readonly growing: readonly string[]
  /** Targets of the largest br_table, including its default. */
  readonly largestTable: number
}

function inRange(value: number, ranges: readonly (readonly [number, number])[]): boolean {
  return ranges.some(([first, last]) => value >= first && value <= last)
}

/** One-byte opcodes with f32 or f64 operands or results (core specification 5.4). */
const FLOATS = [
  [0x2a, 0x2b],
  [0x38, 0x39],
  [0x43, 0x44],
  [0x5b, 0x66],
  [0x8b, 0xa6],
  [0xa8, 0xab],
  [0xae, 0xbf],
] as const

/** SIMD opcodes on float lanes. */
const VECTOR_FLOATS = [
  [0x13, 0x14],
  [0x1f, 0x22],
  [0x41, 0x4c],
  [0x5e, 0x5f],
  [0x67, 0x6a],
  [0x74, 0x75],
  [0x7a, 0x7a],
  [0x94, 0x94],
  [0xe0, 0xff],
] as const

class FunctionScan {
  readonly #reader: WasmReader
  readonly breaches: string[] = []
  largestTable = 0
  grows = false

  constructor(reader: WasmReader) {
    this.#reader = reader
  }

  run(end: number): void {
    while (this.#reader.at < end) this.#instruction()
  }

  #skipBytes(count: number): void {
    this.#reader.at += count
  }

  #skipLebs(count: number): void {
    for (let i = 0; i < count; i++) this.#reader.leb()
  }

  #instruction(): void {
    const opcode = this.#reader.byte()
    if (inRange(opcode, FLOATS)) this.breaches.push(`float instruction 0x${opcode.toString(16)}`)
    if (opcode === 0xfc) this.#bulk()
    else if (opcode === 0xfd) this.#vector()
    else if (opcode === 0xfe) this.#atomic()
    else this.#plain(opcode)
  }

  #plain(opcode: number): void {
    if (opcode === 0x0e) {
      const targets = this.#reader.leb()
      this.#skipLebs(targets + 1)
      this.largestTable = Math.max(this.largestTable, targets + 1)
    } else if (opcode === 0x40) {
      this.grows = true
      this.#skipBytes(1)
    } else if (opcode === 0x1c) {
      this.#skipLebs(this.#reader.leb())
    } else if (opcode === 0x43) {
      this.#skipBytes(4)
    } else if (opcode === 0x44) {
      this.#skipBytes(8)
    } else if (inRange(opcode, [[0x28, 0x3e]]) || opcode === 0x11 || opcode === 0x13) {
      this.#skipLebs(2)
    } else if (
      inRange(opcode, [
        [0x02, 0x04],
        [0x0c, 0x0d],
        [0x20, 0x26],
        [0x41, 0x42],
        [0xd0, 0xd0],
        [0xd2, 0xd2],
      ]) ||
      opcode === 0x10 ||
      opcode === 0x12 ||
      opcode === 0x3f
    ) {
      this.#skipLebs(1)
    }
  }

  #bulk(): void {
    const opcode = this.#reader.leb()
    if (opcode <= 7) this.breaches.push(`float conversion 0xfc ${opcode}`)
    else if (opcode === 9 || opcode === 11 || opcode === 13 || opcode >= 15) this.#skipLebs(1)
    else this.#skipLebs(2)
  }

  #vector(): void {
    const opcode = this.#reader.leb()
    if (opcode >= 0x100) this.breaches.push(`relaxed SIMD 0xfd ${opcode}`)
    else if (inRange(opcode, VECTOR_FLOATS)) this.breaches.push(`float SIMD 0xfd ${opcode}`)
    if (opcode <= 11 || opcode === 92 || opcode === 93) {
      this.#skipLebs(2)
    } else if (opcode === 12 || opcode === 13) {
      this.#skipBytes(16)
    } else if (opcode >= 21 && opcode <= 34) {
      this.#skipBytes(1)
    } else if (opcode >= 84 && opcode <= 91) {
      this.#skipLebs(2)
      this.#skipBytes(1)
    }
  }

  #atomic(): void {
    const opcode = this.#reader.leb()
    this.breaches.push(`atomic instruction 0xfe ${opcode}`)
    if (opcode === 3) this.#skipBytes(1)
    else this.#skipLebs(2)
  }
}

function skipLimits(reader: WasmReader): void {
  if ((reader.leb() & 1) !== 0) reader.leb()
  reader.leb()
}

function readImports(reader: WasmReader): { names: string[]; functions: number } {
  const names: string[] = []
  let functions = 0
  const count = reader.leb()
  for (let i = 0; i < count; i++) {
    names.push(`${reader.name()}.${reader.name()}`)
    const kind = reader.byte()
    if (kind === 0) {
      reader.leb()
      functions++
    } else if (kind === 1) {
      reader.byte()
      skipLimits(reader)
    } else if (kind === 2) {
      skipLimits(reader)
    } else {
      reader.at += 2
    }
  }
  return { names, functions }
}

function readExports(reader: WasmReader): Map<number, string> {
  const names = new Map<number, string>()
  const count = reader.leb()
  for (let i = 0; i < count; i++) {
    const name = reader.name()
    const kind = reader.byte()
    const index = reader.leb()
    if (kind === 0) names.set(index, name)
  }
  return names
}

/** Scans a module's bytes. */
export function scanModule(bytes: Uint8Array): Scan {
  const reader = new WasmReader(bytes, 8)
  let imports: readonly string[] = []
  let exported = new Map<number, string>()
  const breaches: string[] = []
  const growing: string[] = []
  let largestTable = 0
  let functionIndex = 0
  while (reader.at < bytes.length) {
    const id = reader.byte()
    const size = reader.leb()
    const end = reader.at + size
    const section = new WasmReader(bytes, reader.at)
    if (id === SECTION.import) {
      const found = readImports(section)
      imports = found.names
      functionIndex = found.functions
    } else if (id === SECTION.export) {
      exported = readExports(section)
    } else if (id === SECTION.code) {
      const count = section.leb()
      for (let i = 0; i < count; i++, functionIndex++) {
        const bodySize = section.leb()
        const bodyEnd = section.at + bodySize
        const locals = section.leb()
        for (let group = 0; group < locals; group++) {
          section.leb()
          const type = section.byte()
          if (type === 0x7d || type === 0x7c)
            breaches.push(`float local in function ${functionIndex}`)
        }
        const scan = new FunctionScan(section)
        scan.run(bodyEnd)
        if (section.at !== bodyEnd) throw new Error(`cannot decode function ${functionIndex}`)
        const name = exported.get(functionIndex) ?? 'not exported'
        const place = `function ${functionIndex} (${name})`
        for (const what of scan.breaches) breaches.push(`${what} in ${place}`)
        if (scan.grows) growing.push(place)
        largestTable = Math.max(largestTable, scan.largestTable)
      }
    }
    reader.at = end
  }
  return { imports, breaches, growing, largestTable }
}

function checkModule(path: string): boolean {
  const scan = scanModule(readFileSync(path))
  const problems = [...scan.breaches]
  if (scan.imports.length > 0) problems.push(`imports ${scan.imports.join(', ')}`)
  const isEngine = basename(path) === 'engine.wasm'
  if (!isEngine) problems.push(...scan.growing.map((place) => `memory.grow in ${place}`))
  if (isEngine && scan.largestTable <= 256) {
    problems.push(`largest br_table has ${scan.largestTable} targets: the opcode loop needs 256`)
  }
  const shown = relative(process.cwd(), path)
  for (const problem of problems) console.error(`${shown}: ${problem}`)
  if (problems.length === 0) console.log(`${shown}: imports nothing, integer only, ok`)
  return problems.length === 0
}

if (import.meta.filename === process.argv[1]) {
  const given = process.argv.slice(2)
  const built = ['engine', 'compile', 'commit', 'pairing', 'modules', 'recovery'].map((name) =>
    fileURLToPath(new URL(`../build/${name}.wasm`, import.meta.url)),
  )
  const results = (given.length > 0 ? given : built).map(checkModule)
  process.exitCode = results.every(Boolean) ? 0 : 1
}
