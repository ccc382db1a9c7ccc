/** The tables shared by engine and host, in TypeScript. */
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
import { type ByRevision, REVISIONS } from './revision.ts'
import { STATUSES } from './status.ts'
import { TRACE_RECORDS } from './trace-record.ts'

function joinLines(table: string, lines: readonly string[]): string {
  return [header(table), ...lines, ''].join('\n')
}

function quote(text: string): string {
  return text.includes("'") ? JSON.stringify(text) : `'${text}'`
}

function list(name: string, texts: readonly string[]): string[] {
  return [`export const ${name} = [`, ...texts.map((text) => `  ${quote(text)},`), '] as const']
}

interface Row {
  readonly name: string
  readonly doc?: string
}

/** Returns an object of numbers by name. */
function numbers(
  name: string,
  rows: readonly Row[],
  numberOf: (index: number) => number,
): string[] {
  return [
    `export const ${name} = {`,
    ...rows.flatMap((row, i) => {
      const line = `  ${row.name}: ${numberOf(i)},`
      return row.doc === undefined ? [line] : [`  ${docLine(row.doc)}`, line]
    }),
    '} as const',
  ]
}

type HostType = 'number' | 'bigint'

function literal(value: number | bigint, type: HostType): string {
  return type === 'bigint' ? `${value}n` : String(value)
}

/** Returns a constant, or a function of the revision. */
function declareAmount(
  name: string,
  amount: number | bigint | ByRevision,
  type: HostType,
  doc: string,
): string[] {
  if (typeof amount !== 'object') {
    return [docLine(doc), `export const ${constantName(name)} = ${literal(amount, type)}`]
  }
  const chosen = chooseByRevision(
    amount,
    (since) => `atLeast(revision, '${since}')`,
    (value) => literal(value, type),
  )
  return [
    docLine(doc),
    `export function ${name}(revision: Revision): ${type} {`,
    `  return ${chosen}`,
    '}',
  ]
}

function revisionImport(amounts: readonly (number | bigint | ByRevision)[]): string[] {
  if (amounts.every((amount) => changesOf(amount).length === 0)) return []
  return ["import { atLeast, type Revision } from '../revision.ts'", '']
}

export function revisionSource(): string {
  return joinLines('revision.ts', list('REVISIONS', REVISIONS))
}

export function gasSource(): string {
  const shared = PRICES.filter(({ inHost }) => inHost === true)
  return joinLines('gas.ts', [
    ...revisionImport(shared.map(({ amount }) => amount)),
    ...shared.flatMap(({ name, amount, doc }) =>
      declareAmount(typeof amount !== 'object' ? name : `${name}Gas`, amount, 'bigint', doc),
    ),
  ])
}

export function limitSource(): string {
  const shared = LIMITS.flatMap((limit) =>
    limit.host === undefined ? [] : [{ ...limit, host: limit.host }],
  )
  return joinLines('limit.ts', [
    ...revisionImport(shared.map(({ amount }) => amount)),
    ...shared.flatMap(({ name, amount, doc, host }) => declareAmount(name, amount, host, doc)),
  ])
}

export function precompileSource(): string {
  return joinLines('precompile.ts', [
    "import type { Revision } from '../revision.ts'",
    '',
    '// Ids of the precompiles: their addresses as numbers.',
    ...PRECOMPILES.map(({ name, address }) => `export const ${name} = ${hexByte(address)}`),
    '',
    '/** By ascending address; the names are those of EIP-7910. */',
    'export const PRECOMPILE_ROWS: readonly (readonly [id: number, name: string, since: Revision])[] = [',
    ...PRECOMPILES.map(({ name, since }) => `  [${name}, '${name}', '${since}'],`),
    ']',
    '',
    '/** Precompiles that pairing.wasm runs instead of the engine. */',
    'export const HOST_PRECOMPILES: ReadonlySet<number> = new Set([',
    ...PRECOMPILES.filter(({ runs }) => runs === 'host').map(({ name }) => `  ${name},`),
    '])',
  ])
}

export function precompileFailureSource(): string {
  const texts = PRECOMPILE_FAILURES.map(({ text }) => text)
  return joinLines('precompile.ts', list('PRECOMPILE_FAILURES', texts))
}

export function opcodeSource(): string {
  return joinLines('opcode.ts', [
    ...OPCODES.map(({ code, name }) => `export const ${name} = ${hexByte(code)}`),
    '',
    'export type OpcodeRow = readonly [',
    '  code: number,',
    '  name: string,',
    '  immediates: number,',
    '  taken: number,',
    '  left: number,',
    ']',
    '',
    'export const OPCODE_ROWS: readonly OpcodeRow[] = [',
    ...OPCODES.map(({ name, immediates, taken, left }) => {
      return `  [${name}, '${name}', ${immediates}, ${taken}, ${left}],`
    }),
    ']',
  ])
}

export function statusSource(): string {
  return joinLines(
    'status.ts',
    numbers('STATUS', STATUSES, (i) => i),
  )
}

export function faultSource(): string {
  const faults = FAULTS.map(({ name }) => ({ name }))
  return joinLines('fault.ts', [
    ...numbers('FAULT', faults, (i) => i),
    '',
    ...list(
      'FAULT_TEXTS',
      FAULTS.map(({ text }) => text),
    ),
    '',
    "/** By the detail of `outOfGas`, which is 0 if geth's gas function gives no reason. */",
    'export const GAS_FAILURES: readonly (string | undefined)[] = [',
    '  undefined,',
    ...GAS_FAILURES.map(({ text }) => `  ${quote(text)},`),
    ']',
  ])
}

export function rejectionSource(): string {
  return joinLines('rejection.ts', list('REJECTIONS', REJECTIONS))
}

export function messageFlagSource(): string {
  return joinLines('message-flag.ts', [
    ...numbers('MESSAGE_FLAG', MESSAGE_FLAGS, (i) => 2 ** i),
    '',
    ...numbers('BLOCK_FLAG', BLOCK_FLAGS, (i) => 2 ** i),
  ])
}

export function frameKindSource(): string {
  return joinLines('frame-kind.ts', list('FRAME_KINDS', FRAME_KINDS))
}

export function hostCallSource(): string {
  return joinLines('host-call.ts', [
    ...numbers('HOST_OPERATION', HOST_OPERATIONS, (i) => i),
    '',
    ...numbers('HOST_RESULT', HOST_RESULTS, (i) => i),
  ])
}

export function traceRecordSource(): string {
  return joinLines(
    'trace-record.ts',
    numbers('TRACE_RECORD', TRACE_RECORDS, (i) => i + 1),
  )
}
