import { parse } from '@bytecodealliance/jco'
import { WasmReader } from './wasm-reader.ts'

/** Section ids (core specification 5.5.2). */
export const SECTION = {
  custom: 0,
  type: 1,
  import: 2,
  function: 3,
  memory: 5,
  global: 6,
  export: 7,
  code: 10,
} as const

/** The sections to which functions are appended. */
const EXTENDED = [SECTION.type, SECTION.function, SECTION.export, SECTION.code] as const
type ExtendedId = (typeof EXTENDED)[number]

const HEADER = 8
const EXPORT_KINDS = ['func', 'table', 'memory', 'global'] as const
const VALUE_TYPES: ReadonlyMap<number, string> = new Map([
  [0x7f, 'i32'],
  [0x7e, 'i64'],
  [0x7b, 'v128'],
])

export interface Section {
  readonly id: number
  readonly content: Uint8Array
}

/** Entries of a section, encoded. */
interface Entries {
  readonly count: number
  readonly bytes: Uint8Array
}

/** Functions to append to one specific module, with their types and exports. */
export type Additions = Readonly<Record<ExtendedId, Entries>>

export interface FunctionType {
  readonly params: readonly string[]
  readonly results: readonly string[]
}

export interface ModuleExport {
  readonly name: string
  readonly kind: (typeof EXPORT_KINDS)[number]
  readonly index: number
}

/** Returns the sections in their order. */
export function readSections(module: Uint8Array): readonly Section[] {
  const reader = new WasmReader(module, HEADER)
  const sections: Section[] = []
  while (reader.at < module.length) {
    const id = reader.byte()
    const size = reader.leb()
    sections.push({ id, content: module.subarray(reader.at, reader.at + size) })
    reader.at += size
  }
  return sections
}

function entriesReader(module: Uint8Array, id: number): { reader: WasmReader; count: number } {
  const found = readSections(module).find((section) => section.id === id)
  const reader = new WasmReader(found?.content ?? new Uint8Array(1))
  return { reader, count: reader.leb() }
}

function valueType(code: number): string {
  const name = VALUE_TYPES.get(code)
  if (name === undefined)
    throw new Error(`value type 0x${code.toString(16)} is not an integer type`)
  return name
}

function readFunctionType(reader: WasmReader): FunctionType {
  if (reader.byte() !== 0x60) throw new Error('a type that is not a function')
  const params = Array.from({ length: reader.leb() }, () => valueType(reader.byte()))
  const results = Array.from({ length: reader.leb() }, () => valueType(reader.byte()))
  return { params, results }
}

function readExport(reader: WasmReader): ModuleExport {
  const name = reader.name()
  const kind = EXPORT_KINDS[reader.byte()]
  if (kind === undefined) throw new Error(`export ${name} is of an unknown kind`)
  return { name, kind, index: reader.leb() }
}

function skipBody(reader: WasmReader): void {
  const size = reader.leb()
  reader.at += size
}

/** Skips one entry of an extensible section. */
const SKIP: Readonly<Record<ExtendedId, (reader: WasmReader) => void>> = {
  [SECTION.type]: readFunctionType,
  [SECTION.function]: (reader) => reader.leb(),
  [SECTION.export]: readExport,
  [SECTION.code]: skipBody,
}

export function readExports(module: Uint8Array): readonly ModuleExport[] {
  const { reader, count } = entriesReader(module, SECTION.export)
  return Array.from({ length: count }, () => readExport(reader))
}

function readTypes(module: Uint8Array): readonly FunctionType[] {
  const { reader, count } = entriesReader(module, SECTION.type)
  return Array.from({ length: count }, () => readFunctionType(reader))
}

/** Returns the type of each function, by its index. The module must import nothing. */
export function readFunctions(module: Uint8Array): readonly FunctionType[] {
  const types = readTypes(module)
  const { reader, count } = entriesReader(module, SECTION.function)
  return Array.from({ length: count }, () => types[reader.leb()] as FunctionType)
}

/** Returns the body of each function, by its index. */
export function readBodies(module: Uint8Array): readonly Uint8Array[] {
  const { reader, count } = entriesReader(module, SECTION.code)
  return Array.from({ length: count }, () => {
    const start = reader.at
    skipBody(reader)
    return reader.bytes.subarray(start, reader.at)
  })
}

/** Returns the type of each global, by its index, as text: `i32`, `(mut i64)`. */
export function readGlobals(module: Uint8Array): readonly string[] {
  const { reader, count } = entriesReader(module, SECTION.global)
  return Array.from({ length: count }, () => {
    const type = valueType(reader.byte())
    const isMutable = reader.byte() === 1
    const opcode = reader.byte()
    if (opcode !== 0x41 && opcode !== 0x42) throw new Error('a global that is not a constant')
    reader.leb()
    if (reader.byte() !== 0x0b) throw new Error('a global that is not a constant')
    return isMutable ? `(mut ${type})` : type
  })
}

function readMemory(module: Uint8Array): string {
  const { reader, count } = entriesReader(module, SECTION.memory)
  if (count !== 1 || reader.byte() !== 1) throw new Error('a module without one bounded memory')
  return `(memory ${reader.leb()} ${reader.leb()})`
}

/**
 * Declares the types, functions, globals and memory of a module as imports in the text format, each with its index in
 * the module. The identifier of an export is its name.
 */
function declare(module: Uint8Array): string {
  const names = new Map(readExports(module).map(({ name, kind, index }) => [kind + index, name]))
  const name = (kind: string, index: number) =>
    names.has(kind + index) ? `$${names.get(kind + index)}` : ''
  const { reader, count } = entriesReader(module, SECTION.function)
  return [
    ...readTypes(module).map(({ params, results }) => {
      return `(type (func (param ${params.join(' ')}) (result ${results.join(' ')})))`
    }),
    ...Array.from({ length: count }, (_, i) => {
      return `(import "" "" (func ${name('func', i)} (type ${reader.leb()})))`
    }),
    ...readGlobals(module).map((type, i) => `(import "" "" (global ${name('global', i)} ${type}))`),
    `(import "" "" ${readMemory(module)})`,
  ].join('\n')
}

/**
 * Assembles functions to append to those of `module`. The text may name its exports: `call $run`, `global.get
 * $needAt`. It is assembled against the module's own index spaces, so the result needs no relocation.
 * @param text functions of the text format, nothing else
 */
export async function assembleAdditions(module: Uint8Array, text: string): Promise<Additions> {
  const assembled = await parse(`(module\n${declare(module)}\n${text}\n)`)
  const allowed: readonly number[] = [...EXTENDED, SECTION.import, SECTION.custom]
  const others = readSections(assembled).filter(({ id }) => !allowed.includes(id))
  if (others.length > 0) throw new Error(`section ${others[0]?.id} cannot be appended`)
  const behind = (id: ExtendedId, first: number): Entries => {
    const { reader, count } = entriesReader(assembled, id)
    for (let i = 0; i < first; i++) SKIP[id](reader)
    return { count: count - first, bytes: reader.bytes.subarray(reader.at) }
  }
  return {
    [SECTION.type]: behind(SECTION.type, readTypes(module).length),
    [SECTION.function]: behind(SECTION.function, 0),
    [SECTION.export]: behind(SECTION.export, 0),
    [SECTION.code]: behind(SECTION.code, 0),
  }
}

function isExtended(id: number): id is ExtendedId {
  return (EXTENDED as readonly number[]).includes(id)
}

function leb(value: number): number[] {
  const bytes: number[] = []
  let rest = value
  for (; rest >= 0x80; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80)
  bytes.push(rest)
  return bytes
}

/** Returns the module with other content in its extended sections; every other section is copied. */
function rewrite(
  module: Uint8Array,
  change: (id: ExtendedId, entries: Entries) => readonly [count: number, ...bytes: Uint8Array[]],
): Uint8Array<ArrayBuffer> {
  const parts: (Uint8Array | number[])[] = [module.subarray(0, HEADER)]
  for (const { id, content } of readSections(module)) {
    if (!isExtended(id)) {
      parts.push([id, ...leb(content.length)], content)
      continue
    }
    const reader = new WasmReader(content)
    const count = reader.leb()
    const [next, ...entries] = change(id, { count, bytes: content.subarray(reader.at) })
    const size = entries.reduce((sum, { length }) => sum + length, leb(next).length)
    parts.push([id, ...leb(size), ...leb(next)], ...entries)
  }
  return new Uint8Array(Buffer.concat(parts.map((part) => Uint8Array.from(part))))
}

/**
 * Returns the module with the additions after its own functions, types and exports, which do not change. It must have
 * functions and exports of its own.
 */
export function append(module: Uint8Array, additions: Additions): Uint8Array<ArrayBuffer> {
  const present = new Set(readSections(module).map(({ id }) => id))
  const missing = EXTENDED.find((id) => additions[id].count > 0 && !present.has(id))
  if (missing !== undefined) throw new Error(`the module has no section ${missing} to append to`)
  return rewrite(module, (id, { count, bytes }) => [
    count + additions[id].count,
    bytes,
    additions[id].bytes,
  ])
}

/** Reverts `append`. */
export function detach(extended: Uint8Array, additions: Additions): Uint8Array<ArrayBuffer> {
  return rewrite(extended, (id, { count, bytes }) => {
    const kept = count - additions[id].count
    const reader = new WasmReader(bytes)
    for (let i = 0; i < kept; i++) SKIP[id](reader)
    return [kept, bytes.subarray(0, reader.at)]
  })
}
