/** The tables shared by engine and host, in AssemblyScript. */
import { FAULTS, GAS_FAILURES } from './fault.ts'
import { FRAME_KINDS } from './frame-kind.ts'
import { PRICES } from './gas.ts'
import { HOST_OPERATIONS, HOST_RESULTS } from './host-call.ts'
import { LIMITS } from './limit.ts'
import { BLOCK_FLAGS, MESSAGE_FLAGS } from './message-flag.ts'
import { changesOf, chooseByRevision, constantName, docLine, header, hexByte } from './names.ts'
import { OPCODES } from './opcode.ts'
import { PRECOMPILE_FAILURES, PRECOMPILES } from './precompile.ts'
import { REJECTIONS } from './rejection.ts'
import { type ByRevision, REVISIONS, type Revision } from './revision.ts'
import { STATUSES } from './status.ts'
import { REGION_BYTE, SUPERINSTRUCTIONS } from './superinstruction.ts'
import { TRACE_RECORDS } from './trace-record.ts'

const BYTES_PER_WORD = 32

interface Row {
  readonly name: string
  readonly doc?: string
}

/** Returns constants of one type; the value of each is its index. */
function constants(
  rows: readonly Row[],
  type: string,
  numberOf: (index: number) => number,
): string[] {
  return rows.flatMap(({ name, doc }, i) => {
    const line = `export const ${constantName(name)}: ${type} = ${numberOf(i)}`
    return doc === undefined ? [line] : [docLine(doc), line]
  })
}

function joinLines(table: string, lines: readonly string[]): string {
  return [header(table), ...lines, ''].join('\n')
}

function revisionImport(revisions: readonly Revision[]): string[] {
  const names = [...new Set(revisions)].sort((a, b) => REVISIONS.indexOf(a) - REVISIONS.indexOf(b))
  if (names.length === 0) return []
  return [`import { ${names.map(constantName).join(', ')} } from './revision'`, '']
}

function byRevision(entries: ByRevision): string {
  return chooseByRevision(entries, (since) => `revision >= ${constantName(since)}`, String)
}

/** Returns a constant, or a function of the revision. */
function declareAmount(
  name: string,
  amount: number | bigint | ByRevision,
  type: string,
  doc: string,
): string[] {
  if (typeof amount !== 'object') {
    return [docLine(doc), `export const ${constantName(name)}: ${type} = ${amount}`]
  }
  return [
    docLine(doc),
    '// @ts-ignore: decorator',
    '@inline',
    `export function ${name}(revision: i32): ${type} {`,
    `  return ${byRevision(amount)}`,
    '}',
  ]
}

export function revisionSource(): string {
  const rows = REVISIONS.map((name) => ({ name }))
  return joinLines(
    'revision.ts',
    constants(rows, 'i32', (i) => i),
  )
}

export function statusSource(): string {
  return joinLines(
    'status.ts',
    constants(STATUSES, 'i32', (i) => i),
  )
}

export function faultSource(): string {
  const faults = FAULTS.map(({ name }) => ({ name }))
  return joinLines('fault.ts', [
    ...constants(faults, 'i32', (i) => i),
    '',
    '// Details of OUT_OF_GAS',
    ...constants(GAS_FAILURES, 'u64', (i) => i + 1),
  ])
}

export function rejectionSource(): string {
  const rows = REJECTIONS.map((name) => ({ name }))
  return joinLines(
    'rejection.ts',
    constants(rows, 'u32', (i) => i + 1),
  )
}

export function messageFlagSource(): string {
  return joinLines('message-flag.ts', [
    ...constants(MESSAGE_FLAGS, 'u32', (i) => 2 ** i),
    '',
    '// Flags of a block',
    ...constants(BLOCK_FLAGS, 'u32', (i) => 2 ** i),
  ])
}

export function frameKindSource(): string {
  const lines = FRAME_KINDS.map((name, i) => `export const ${name}: u32 = ${i}`)
  return joinLines('frame-kind.ts', lines)
}

export function hostCallSource(): string {
  return joinLines('host-call.ts', [
    ...constants(HOST_OPERATIONS, 'u32', (i) => i),
    '',
    '// How the call ends',
    ...constants(HOST_RESULTS, 'i32', (i) => i),
  ])
}

export function traceRecordSource(): string {
  return joinLines(
    'trace-record.ts',
    constants(TRACE_RECORDS, 'u32', (i) => i + 1),
  )
}

export function gasSource(): string {
  return joinLines('gas.ts', [
    ...revisionImport(PRICES.flatMap(({ amount }) => changesOf(amount))),
    ...PRICES.flatMap(({ name, amount, doc }) =>
      declareAmount(typeof amount !== 'object' ? name : `${name}Gas`, amount, 'u64', doc),
    ),
  ])
}

export function limitSource(): string {
  return joinLines('limit.ts', [
    ...revisionImport(LIMITS.flatMap(({ amount }) => changesOf(amount))),
    ...LIMITS.flatMap(({ name, amount, doc, engine }) => declareAmount(name, amount, engine, doc)),
  ])
}

/** The constant gas fits in a byte: the instruction itself charges any excess. */
const MOST_GAS = 255

/** Four bytes for each of the 256 codes. */
function opcodeRows(): string[] {
  return Array.from({ length: 256 }, (_, code) => {
    const opcode = OPCODES.find((row) => row.code === code)
    if (opcode === undefined) return `  0, 0, 0, 0, // ${hexByte(code)}`
    const { name, taken, left, gas, since } = opcode
    const row = [taken, left, Math.min(gas, MOST_GAS), REVISIONS.indexOf(since) + 1]
    return `  ${row.join(', ')}, // ${hexByte(code)} ${name}`
  })
}

/**
 * Returns the constants of an opcode or superinstruction: its byte, its constant gas, and the bytes of the words it
 * takes.
 */
function declareOpcode(code: number, name: string, gas: number, taken: number): string[] {
  const lines = [`export const ${name}: u32 = ${hexByte(code)}`]
  if (gas > 0) lines.push(`export const ${name}_GAS: i64 = ${gas}`)
  if (taken > 0) lines.push(`export const ${name}_TAKEN: usize = ${taken * BYTES_PER_WORD}`)
  return lines
}

export function opcodeSource(): string {
  return joinLines('opcode.ts', [
    '// For each opcode its byte, its constant gas and the bytes of the words that it takes from the stack.',
    '// Zero values have no constant.',
    ...OPCODES.flatMap(({ code, name, gas, taken }) => declareOpcode(code, name, gas, taken)),
    '',
    '/**',
    ' * Four bytes for each code: words taken, words left, constant gas saturated to 255, first',
    ' * revision + 1; 0 = unassigned.',
    ' */',
    'export const OPCODE_ROWS: usize = memory.data<u8>([',
    ...opcodeRows(),
    '])',
  ])
}

/** Most opcodes that fit in a row of eight bytes. */
const LONGEST_SEQUENCE = 6

export function superinstructionSource(): string {
  const rows = SUPERINSTRUCTIONS.map(({ code, name, opcodes }) => {
    if (opcodes.length > LONGEST_SEQUENCE) throw new RangeError(`${name} is too long`)
    const codes = opcodes.map((opcode) => hexByte(opcode.code))
    const padding = Array(LONGEST_SEQUENCE - opcodes.length).fill('0')
    return `  ${[hexByte(code), opcodes.length, ...codes, ...padding].join(', ')}, // ${name}`
  })
  return joinLines('superinstruction.ts', [
    '// For each superinstruction its byte, the constant gas of all its opcodes, and the bytes of the words that',
    '// must be on the stack before, and of its maximum growth.',
    ...SUPERINSTRUCTIONS.flatMap(({ code, name, gas, taken, growth }) => [
      ...declareOpcode(code, name, gas, taken),
      ...(growth > 0 ? [`export const ${name}_GROWTH: usize = ${growth * BYTES_PER_WORD}`] : []),
    ]),
    '// Not a sequence: the JUMPDEST at which a compiled region begins.',
    `export const REGION: u32 = ${hexByte(REGION_BYTE)}`,
    '',
    '/**',
    ' * Eight bytes each: the code, the number of opcodes it replaces, and these. Rows with the same first opcode are',
    ' * adjacent, longest first.',
    ' */',
    'export const SUPERINSTRUCTION_ROWS: usize = memory.data<u8>([',
    ...rows,
    '])',
    `export const SUPERINSTRUCTION_COUNT: usize = ${rows.length}`,
  ])
}

/** Returns the labels of the loop's cases, indented as in the loop. */
function caseLabels(labels: readonly string[]): string {
  return labels.map((label) => `        case ${label}:\n`).join('')
}

/** Returns the labels of opcodes that the loop leaves to functions. */
export function outOfLineLabels(): string {
  const names = OPCODES.filter(({ place }) => place === 'outOfLine').map(({ name }) => name)
  return caseLabels(names.map((name) => `op.${name}`))
}

/** Returns the labels of bytes without an opcode or a superinstruction. */
export function unassignedLabels(): string {
  const taken = new Set([...OPCODES, ...SUPERINSTRUCTIONS].map(({ code }) => code))
  taken.add(REGION_BYTE)
  const free = Array.from({ length: 256 }, (_, code) => code).filter((code) => !taken.has(code))
  return caseLabels(free.map(hexByte))
}

export function precompileSource(): string {
  return joinLines('precompile.ts', [
    '// Ids of the precompiles: their addresses as numbers.',
    ...PRECOMPILES.map(({ name, address }) => `export const ${name}: i32 = ${hexByte(address)}`),
  ])
}

export function precompileFailureSource(): string {
  const lines = PRECOMPILE_FAILURES.flatMap(({ name }, i) =>
    name === undefined ? [] : [`export const ${constantName(name)}: u64 = ${i}`],
  )
  return joinLines('precompile.ts', lines)
}
