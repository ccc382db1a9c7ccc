import type { CompiledCode, Source } from './artifact.ts'
import { type FunctionRange, functionAt, functionRanges } from './function-index.ts'
import { instructionPlaces, type MapEntry, parseSourceMap } from './source-map.ts'
import { SourceText, type TextPlace } from './source-text.ts'

/** The source position of an instruction. */
export interface InstructionSource {
  readonly path: string
  /** The file is compiler-generated and not part of the project. */
  readonly isGenerated: boolean
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

interface FileOfMap {
  readonly source: Source
  readonly text: SourceText | undefined
  readonly functions: readonly FunctionRange[]
  readonly isGenerated: boolean
}

/** A contract's code and its sources, joined by the source map. */
export class CodePlaces {
  readonly #entries: ReadonlyMap<number, MapEntry>
  readonly #files: ReadonlyMap<number, FileOfMap>
  readonly #code: CompiledCode
  readonly #found = new Map<MapEntry, InstructionSource | undefined>()

  /** `sources` are keyed by their number in the map. */
  constructor(code: CompiledCode, sources: ReadonlyMap<number, Source>) {
    this.#code = code
    const map = code.sourceMap === undefined ? [] : parseSourceMap(code.sourceMap)
    const places = instructionPlaces(code.bytes).slice(0, map.length)
    this.#entries = new Map(places.map((pc, i) => [pc, map[i] as MapEntry]))
    const files = new Map<number, FileOfMap>()
    const add = (from: ReadonlyMap<number, Source>, isGenerated: boolean) => {
      for (const [id, source] of from) {
        const text = source.content === undefined ? undefined : new SourceText(source.content)
        files.set(id, { source, text, functions: functionRanges(source.ast), isGenerated })
      }
    }
    add(sources, false)
    add(code.generated, true)
    this.#files = files
  }

  /** Undefined for code without a file: compiler-internal code, metadata. */
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
    const { text, source, functions, isGenerated } = file
    return {
      path: source.path,
      isGenerated,
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

  /** Returns the function that starts at a pc, if the compiler records it. */
  functionEntry(pc: number): string | undefined {
    return this.#code.entryPoints.get(pc)
  }

  /** Returns the files with code, those of the project first. */
  get files(): readonly Source[] {
    const used = new Set([...this.#entries.values()].map(({ source }) => source))
    return [...this.#files]
      .filter(([id]) => used.has(id))
      .sort(([, a], [, b]) => Number(a.isGenerated) - Number(b.isGenerated))
      .map(([, { source }]) => source)
  }
}
