import { LINE_MARKS, type LineMarks } from '../../../browser/step/line-marks.ts'
import type { CompiledCode, Source } from './artifact.ts'
import { AstIndex } from './ast-index.ts'
import { FailingNodes, type SourceRange } from './failing-nodes.ts'
import { type FunctionRange, functionAt, functionRanges } from './function-index.ts'
import { instructionPlaces, type MapEntry, parseSourceMap } from './source-map.ts'
import { SourceText, type TextPlace } from './source-text.ts'

/** The source position of an instruction. */
export interface InstructionSource {
  readonly path: string
  /** It covers a whole contract or file, as for dispatchers and for helpers of the Yul pipeline. */
  readonly isWide: boolean
  /** Undefined if the content of the file is missing. */
  readonly from: TextPlace | undefined
  readonly to: TextPlace | undefined
  /** In bytes. */
  readonly start: number
  readonly length: number
  readonly jump: MapEntry['jump']
  readonly modifierDepth: number
  /** Enclosing function or modifier: `Token.transfer`. */
  readonly functionName: string | undefined
}

/** A range of a file by lines and columns. */
export interface TextPlaceRange {
  readonly path: string
  readonly from: TextPlace
  readonly to: TextPlace
  readonly functionName: string | undefined
}

interface FileOfMap {
  readonly source: Source
  readonly text: SourceText | undefined
  readonly functions: readonly FunctionRange[]
}

/** No other range of a source map begins with the definition of a contract. */
const CONTRACT = /^(abstract\s+)?(contract|library|interface)\s/

/** Vyper gives code without a line the range of its file. */
function isWhole({ start, length }: MapEntry, text: SourceText): boolean {
  return start === 0 && length >= text.byteLength - 1
}

/** A contract's code and its sources, joined by the source map. */
export class CodePlaces {
  readonly #entries: ReadonlyMap<number, MapEntry>
  readonly #files: ReadonlyMap<number, FileOfMap>
  readonly #code: CompiledCode
  #nodes: FailingNodes | undefined
  #index: AstIndex | undefined
  readonly #found = new Map<MapEntry, InstructionSource | undefined>()

  /** `sources` are keyed by their number in the map. */
  constructor(code: CompiledCode, sources: ReadonlyMap<number, Source>) {
    this.#code = code
    const map = code.sourceMap === undefined ? [] : parseSourceMap(code.sourceMap)
    const places = instructionPlaces(code.bytes)
    // Vyper has an entry for each byte, solc for each instruction.
    const isByByte = map.length > places.length
    this.#entries = new Map(
      places.flatMap((pc, i) => {
        const entry = map[isByByte ? pc : i]
        return entry === undefined ? [] : [[pc, entry]]
      }),
    )
    this.#files = new Map(
      Array.from(sources, ([id, source]) => {
        const text = source.content === undefined ? undefined : new SourceText(source.content)
        return [id, { source, text, functions: functionRanges(source.ast) }]
      }),
    )
  }

  /** Returns the statements and expressions of its files. */
  get failingNodes(): FailingNodes {
    const files = [...this.#files.values()].map(({ source }) => source)
    this.#nodes ??= new FailingNodes(new Map(files.map(({ path, ast }) => [path, ast])))
    return this.#nodes
  }

  /** Returns the definitions of its files. */
  get astIndex(): AstIndex {
    this.#index ??= new AstIndex(
      Array.from(this.#files.values(), ({ source }) => [source.path, source.ast] as const),
    )
    return this.#index
  }

  /** Returns the place of a range; undefined without the file's text. */
  placeOf({ path, start, end }: SourceRange): TextPlaceRange | undefined {
    const file = [...this.#files.values()].find(({ source }) => source.path === path)
    if (file?.text === undefined) return undefined
    const [from, to] = [file.text.placeOf(start), file.text.placeOf(end)]
    return { path, from, to, functionName: functionAt(file.functions, start) }
  }

  /** Returns the marks of the code, for searches in a run. */
  marks(): LineMarks {
    const marks = new Uint8Array(this.#code.bytes.length)
    const last = Math.max(...this.#files.keys())
    for (const [pc, { source, start, jump }] of this.#entries) {
      // A file of the project whose text is unknown has lines too; numbers after the last are of generated files.
      if (source >= 0 && start >= 0 && source <= last) {
        marks[pc] = this.at(pc)?.isWide === true ? LINE_MARKS.wide : LINE_MARKS.line
      }
      if (jump !== undefined) marks[pc] = (marks[pc] as number) | LINE_MARKS[jump]
    }
    return marks
  }

  /** Undefined for code without a file: compiler-generated code, metadata. */
  at(pc: number): InstructionSource | undefined {
    const entry = this.#entries.get(pc)
    if (entry === undefined) return undefined
    // Consecutive instructions mostly share an entry.
    if (!this.#found.has(entry)) this.#found.set(entry, this.#placeOf(entry))
    return this.#found.get(entry)
  }

  #placeOf(entry: MapEntry): InstructionSource | undefined {
    const file = this.#files.get(entry.source)
    if (file === undefined || entry.start < 0) return undefined
    const { text, source, functions } = file
    return {
      path: source.path,
      isWide:
        text !== undefined && (isWhole(entry, text) || CONTRACT.test(text.slice(entry.start, 40))),
      from: text?.placeOf(entry.start),
      to: text?.placeOf(entry.start + Math.max(entry.length, 0)),
      start: entry.start,
      length: entry.length,
      jump: entry.jump,
      modifierDepth: entry.modifierDepth,
      functionName: functionAt(functions, entry.start),
    }
  }

  /**
   * Returns the instructions whose source range starts on a line, from 1, for a breakpoint. Ranges that contain
   * others on the line, such as a whole contract or function, count only if there are no others.
   */
  pcsOfLine(path: string, line: number): readonly number[] {
    const found: { pc: number; lines: number }[] = []
    for (const [pc, entry] of this.#entries) {
      const file = this.#files.get(entry.source)
      if (file?.source.path !== path || file.text === undefined || entry.start < 0) continue
      const from = file.text.lineOf(entry.start)
      if (from !== line) continue
      found.push({ pc, lines: file.text.lineOf(entry.start + entry.length) - from })
    }
    const isWithin = found.some(({ lines }) => lines === 0)
    return found.filter(({ lines }) => !isWithin || lines === 0).map(({ pc }) => pc)
  }

  /** Returns the lines, from 1, that have code: breakpoints on other lines would never be hit. */
  linesOf(path: string): ReadonlySet<number> {
    const lines = new Set<number>()
    for (const entry of new Set(this.#entries.values())) {
      const file = this.#files.get(entry.source)
      if (file?.source.path !== path || file.text === undefined || entry.start < 0) continue
      lines.add(file.text.lineOf(entry.start))
    }
    return lines
  }

  /** Returns the files with code. */
  get files(): readonly Source[] {
    const used = new Set([...this.#entries.values()].map(({ source }) => source))
    return [...this.#files].filter(([id]) => used.has(id)).map(([, { source }]) => source)
  }
}
