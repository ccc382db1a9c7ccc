import { AbiRegistry } from '../abi/abi-registry.ts'
import {
  countField,
  entriesOf,
  field,
  listField,
  parseJson,
  textField,
} from '../format/json-field.ts'
import { type EnumMembers, readStorageLayout } from '../storage/layout.ts'
import type { Artifact, CompiledCode, CompilerPipeline, DroppedFile, Source } from './artifact.ts'
import { readCode } from './compiled-code.ts'
import { enumMembers } from './function-index.ts'
import { type LibraryFunctions, libraryFunctions } from './library-functions.ts'

type Content = Omit<DroppedFile, 'name'>

const NOTHING: Content = {
  kind: '',
  artifacts: [],
  sources: [],
  abi: undefined,
  problem: undefined,
}

/** Reads the hashes of compiled files by path from a contract's metadata, as JSON or as its text. */
function readHashes(metadata: unknown): Map<string, string> {
  const json = typeof metadata === 'string' ? parseJson(metadata) : metadata
  const hashes = new Map<string, string>()
  for (const [path, source] of entriesOf(field(json, 'sources'))) {
    const hash = textField(source, 'keccak256')
    if (hash !== undefined) hashes.set(path, hash.toLowerCase())
  }
  return hashes
}

/** Reads the settings of the compiler from a contract's metadata. */
function pipelineOf(metadata: unknown): CompilerPipeline {
  const json = typeof metadata === 'string' ? parseJson(metadata) : metadata
  const settings = field(json, 'settings')
  return {
    viaIR: isObject(settings) ? field(settings, 'viaIR') === true : undefined,
    isOptimized: field(settings, 'optimizer', 'enabled') !== false,
  }
}

function compilerOf(metadata: unknown): string | undefined {
  const json = typeof metadata === 'string' ? parseJson(metadata) : metadata
  return textField(json, 'compiler', 'version')
}

interface Parts {
  readonly name: string
  readonly path: string
  readonly abi: unknown
  readonly runtime: CompiledCode | undefined
  readonly creation: CompiledCode | undefined
  readonly json: unknown
  readonly metadata: unknown
  readonly paths: ReadonlyMap<number, string>
  readonly compiler?: string | undefined
  readonly enums: EnumMembers
  readonly libraries: LibraryFunctions
}

function makeArtifact(parts: Parts): Artifact {
  const abi = typeof parts.abi === 'string' ? parseJson(parts.abi) : parts.abi
  return {
    name: parts.name,
    path: parts.path,
    compiler: parts.compiler ?? compilerOf(parts.metadata),
    abi: AbiRegistry.fromJson(
      abi,
      'contract',
      parts.name,
      parts.enums,
      parts.libraries.get(parts.name),
    ),
    runtime: parts.runtime,
    creation: parts.creation,
    layout: readStorageLayout(field(parts.json, 'storageLayout'), parts.enums),
    transientLayout: readStorageLayout(field(parts.json, 'transientStorageLayout'), parts.enums),
    paths: parts.paths,
    pipeline: pipelineOf(parts.metadata),
    hashes: readHashes(parts.metadata),
  }
}

/** Reads the source files of a standard JSON input. */
function inputSources(input: unknown): Source[] {
  return entriesOf(field(input, 'sources')).map(([path, source]) => {
    return { path, content: textField(source, 'content'), ast: undefined }
  })
}

function outputSources(output: unknown): { paths: Map<number, string>; sources: Source[] } {
  const paths = new Map<number, string>()
  const sources = entriesOf(field(output, 'sources')).map(([path, source]) => {
    const id = countField(source, 'id')
    if (id !== undefined) paths.set(id, path)
    const ast = field(source, 'ast') ?? field(source, 'legacyAST')
    return { path, content: undefined, ast }
  })
  return { paths, sources }
}

/** What the ASTs of a compilation say beside its ABIs. */
function definitionsOf(asts: readonly unknown[]): Pick<Parts, 'enums' | 'libraries'> {
  const enums = new Map(asts.flatMap((ast) => [...enumMembers(ast)]))
  return { enums, libraries: libraryFunctions(asts, enums) }
}

/** Returns the first errors of a compiler run without contracts. */
function compilerErrors(output: unknown): string | undefined {
  const errors = listField(output, 'errors').filter((error) => field(error, 'severity') === 'error')
  const text = textField(errors[0], 'formattedMessage') ?? textField(errors[0], 'message')
  return text === undefined ? undefined : `the compiler failed: ${text.trim()}`
}

function readStandardJson(output: unknown, input: unknown, version: string | undefined): Content {
  const { paths, sources } = outputSources(output)
  const definitions = definitionsOf(sources.map(({ ast }) => ast))
  const artifacts = entriesOf(field(output, 'contracts')).flatMap(([path, contracts]) =>
    entriesOf(contracts).map(([name, json]) =>
      makeArtifact({
        name,
        path,
        abi: field(json, 'abi'),
        runtime: readCode(field(json, 'evm', 'deployedBytecode')),
        creation: readCode(field(json, 'evm', 'bytecode')),
        json,
        metadata: field(json, 'metadata'),
        paths,
        compiler: version,
        ...definitions,
      }),
    ),
  )
  const problem = artifacts.length === 0 ? compilerErrors(output) : undefined
  return { ...NOTHING, artifacts, sources: [...inputSources(input), ...sources], problem }
}

/** Reads output of solc --combined-json. */
function readCombinedJson(json: unknown): Content {
  const list = listField(json, 'sourceList')
  const paths = new Map(list.map((path, id) => [id, String(path)]))
  const sources = entriesOf(field(json, 'sources')).map(([path, source]) => {
    return { path, content: undefined, ast: field(source, 'AST') }
  })
  const definitions = definitionsOf(sources.map(({ ast }) => ast))
  const artifacts = entriesOf(field(json, 'contracts')).map(([key, contract]) => {
    const colon = key.lastIndexOf(':')
    const codeOf = (object: string, map: string) =>
      readCode({ object: textField(contract, object), sourceMap: textField(contract, map) })
    const layout = field(contract, 'storage-layout')
    return makeArtifact({
      name: key.slice(colon + 1),
      path: key.slice(0, Math.max(colon, 0)),
      abi: field(contract, 'abi'),
      runtime: codeOf('bin-runtime', 'srcmap-runtime'),
      creation: codeOf('bin', 'srcmap'),
      json: { storageLayout: typeof layout === 'string' ? parseJson(layout) : layout },
      metadata: field(contract, 'metadata'),
      paths,
      compiler: textField(json, 'version'),
      ...definitions,
    })
  })
  return { ...NOTHING, artifacts, sources }
}

/** Reads an artifact of Foundry: like standard JSON, but flat, with only its own file's number. */
function readFoundry(json: unknown, fileName: string): Content {
  const ast = field(json, 'ast')
  const metadata = field(json, 'metadata') ?? field(json, 'rawMetadata')
  const parsed = typeof metadata === 'string' ? parseJson(metadata) : metadata
  const [target] = entriesOf(field(parsed, 'settings', 'compilationTarget'))
  const path = textField(ast, 'absolutePath') ?? target?.[0] ?? ''
  const id = countField(json, 'id')
  const artifact = makeArtifact({
    name: typeof target?.[1] === 'string' ? target[1] : fileName.replace(/(\.\d+)*\.json$/, ''),
    path,
    abi: field(json, 'abi'),
    runtime: readCode(field(json, 'deployedBytecode')),
    creation: readCode(field(json, 'bytecode')),
    json,
    metadata,
    paths: new Map(id === undefined || path === '' ? [] : [[id, path]]),
    ...definitionsOf([ast]),
  })
  const sources = path === '' ? [] : [{ path, content: undefined, ast }]
  return { ...NOTHING, artifacts: [artifact], sources }
}

/** Reads an artifact of Hardhat, without source maps, or of Truffle, with them. */
function readFlat(json: unknown, fileName: string): Content {
  const path = textField(json, 'sourceName') ?? textField(json, 'sourcePath') ?? ''
  const code = (object: string, map: string, prefix: string) =>
    readCode({
      object: textField(json, object),
      sourceMap: textField(json, map),
      linkReferences: field(json, prefix === '' ? 'linkReferences' : 'deployedLinkReferences'),
      immutableReferences: prefix === '' ? undefined : field(json, 'immutableReferences'),
      generatedSources: field(
        json,
        prefix === '' ? 'generatedSources' : 'deployedGeneratedSources',
      ),
    })
  const artifact = makeArtifact({
    name: textField(json, 'contractName') ?? fileName.replace(/\.json$/, ''),
    path,
    abi: field(json, 'abi'),
    runtime: code('deployedBytecode', 'deployedSourceMap', 'deployed'),
    creation: code('bytecode', 'sourceMap', ''),
    json,
    metadata: field(json, 'metadata'),
    paths: numbersOf(field(json, 'ast'), path),
    ...definitionsOf([field(json, 'ast')]),
  })
  const content = textField(json, 'source')
  const sources = path === '' ? [] : [{ path, content, ast: field(json, 'ast') }]
  return { ...NOTHING, artifacts: [artifact], sources }
}

/** Reads the number of a file from the end of each `src` in its AST. */
function numbersOf(ast: unknown, path: string): Map<number, string> {
  const number = /:(\d+)$/.exec(textField(ast, 'src') ?? '')?.[1]
  return new Map(number === undefined || path === '' ? [] : [[Number(number), path]])
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function readJson(json: unknown, name: string): Content {
  if (Array.isArray(json)) {
    const abi = AbiRegistry.fromJson(json, 'given', name.replace(/\.(abi\.)?json$|\.abi$/, ''))
    const isEmpty = abi[Symbol.iterator]().next().done === true
    const problem = isEmpty ? 'a list without a function, event or error of an ABI' : undefined
    return { ...NOTHING, kind: 'ABI', abi, problem }
  }
  const output = field(json, 'output')
  if (isObject(output) && field(output, 'abi') === undefined) {
    const version = textField(json, 'solcLongVersion') ?? textField(json, 'solcVersion')
    const paths = entriesOf(field(json, 'source_id_to_path')).length
    const kind = paths > 0 ? 'Foundry build info' : 'Hardhat build info'
    return { ...readStandardJson(output, field(json, 'input'), version), kind }
  }
  const input = field(json, 'input')
  if (isObject(input) && isObject(field(input, 'sources'))) {
    return { ...NOTHING, kind: 'Hardhat build info without output', sources: inputSources(input) }
  }
  if (isObject(field(json, 'contracts'))) {
    const isCombined =
      Array.isArray(field(json, 'sourceList')) ||
      entriesOf(field(json, 'contracts')).some(
        ([, contract]) => typeof field(contract, 'bin') === 'string',
      )
    if (isCombined) return { ...readCombinedJson(json), kind: 'solc combined JSON' }
    return { ...readStandardJson(json, undefined, undefined), kind: 'solc standard JSON output' }
  }
  if (typeof field(json, 'language') === 'string' && isObject(field(json, 'sources'))) {
    return { ...NOTHING, kind: 'solc standard JSON input', sources: inputSources(json) }
  }
  if (isObject(field(json, 'deployedBytecode')) || isObject(field(json, 'bytecode'))) {
    return { ...readFoundry(json, name), kind: 'Foundry artifact' }
  }
  if (typeof field(json, 'bytecode') === 'string' || Array.isArray(field(json, 'abi'))) {
    const format = textField(json, '_format')
    return { ...readFlat(json, name), kind: format === undefined ? 'artifact' : 'Hardhat artifact' }
  }
  if (Array.isArray(field(output, 'abi'))) {
    const [target] = entriesOf(field(json, 'settings', 'compilationTarget'))
    const contract = typeof target?.[1] === 'string' ? target[1] : name
    const abi = AbiRegistry.fromJson(field(output, 'abi'), 'given', contract)
    return { ...NOTHING, kind: 'contract metadata', abi }
  }
  const problem =
    compilerErrors(json) ?? 'JSON other than an ABI, artifact, build info or output of solc'
  return { ...NOTHING, kind: 'JSON', problem }
}

/** Parses a dropped file: a source, an ABI, or output of a compiler or a tool. */
export function readDropped(name: string, text: string): DroppedFile {
  if (/\.(sol|vy|yul)$/i.test(name)) {
    const source = { path: name, content: text, ast: undefined }
    return { ...NOTHING, name, kind: 'source', sources: [source] }
  }
  const json = parseJson(text)
  if (json === undefined) {
    return {
      ...NOTHING,
      name,
      kind: 'file',
      problem: 'neither JSON nor a .sol, .vy or .yul source',
    }
  }
  return { name, ...readJson(json, name.split(/[\\/]/).at(-1) ?? name) }
}
