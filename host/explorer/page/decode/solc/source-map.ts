import { lookup } from '../../../../base/lookup.ts'
import { OPCODES } from '../../../../evm/engine/opcode.ts'

/** A source map entry of one instruction. */
export interface MapEntry {
  /** Bytes of the file's UTF-8. */
  readonly start: number
  readonly length: number
  /** Number of the file; -1 for code without a file. */
  readonly source: number
  /** Into a function, out of one, or neither. */
  readonly jump: 'in' | 'out' | undefined
  /** Number of enclosing modifiers; 0 from compilers before 0.6. */
  readonly modifierDepth: number
}

const JUMPS: Readonly<Record<string, MapEntry['jump']>> = { i: 'in', o: 'out', '-': undefined }

function integer(text: string | undefined, otherwise: number): number {
  if (text === undefined || text === '') return otherwise
  const value = Number(text)
  return Number.isInteger(value) ? value : -1
}

/**
 * Parses a compressed source map, `s:l:f:j:m;...` by instruction. Omitted values repeat the previous entry
 * (docs.soliditylang.org, "Source Mappings").
 */
export function parseSourceMap(text: string): MapEntry[] {
  let last: MapEntry = { start: -1, length: -1, source: -1, jump: undefined, modifierDepth: 0 }
  return text.split(';').map((entry) => {
    // Most entries of a map repeat the previous one.
    if (entry === '') return last
    const [start, length, source, jump, depth] = entry.split(':')
    last = {
      start: integer(start, last.start),
      length: integer(length, last.length),
      source: integer(source, last.source),
      jump: jump === undefined || jump === '' ? last.jump : lookup(JUMPS, jump),
      modifierDepth: integer(depth, last.modifierDepth),
    }
    return last
  })
}

/** Returns the pc of each instruction; PUSH operands are skipped. */
export function instructionPlaces(code: Uint8Array): number[] {
  const places: number[] = []
  for (let pc = 0; pc < code.length; pc++) {
    places.push(pc)
    pc += OPCODES[code[pc] as number]?.immediates ?? 0
  }
  return places
}
