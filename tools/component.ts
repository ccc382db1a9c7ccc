/**
 * Wraps engine.wasm as the component of assembly/engine.wit: build/engine.component.wasm. In build/component the same
 * is a JavaScript module for hosts without components.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { componentEmbed, componentNew, transpile } from '@bytecodealliance/jco'
import { type Additions, append, assembleAdditions } from './wasm-module.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

export interface Component {
  readonly bytes: Uint8Array
  /** Functions of its core module besides engine.wasm's own. */
  readonly additions: Additions
  /** The JavaScript module with its types and core modules, by path. */
  readonly files: Readonly<Record<string, Uint8Array>>
}

/** @param engine the bytes of engine.wasm */
export async function wrapEngine(engine: Uint8Array): Promise<Component> {
  const adapter = await readFile(join(root, 'assembly/component.wat'), 'utf8')
  const witSource = await readFile(join(root, 'assembly/engine.wit'), 'utf8')
  const additions = await assembleAdditions(engine, adapter)
  const binary = append(engine, additions)
  const bytes = await componentNew(
    await componentEmbed({ binary, witSource, world: 'machine' }),
    [],
  )
  const { files } = await transpile(bytes, { name: 'engine', instantiation: 'async' })
  return { bytes, additions, files }
}

/** Writes the component and its JavaScript module to `folder` and returns their paths. */
export async function writeComponent(
  folder: string,
  { bytes, files }: Component,
): Promise<readonly string[]> {
  const written = new Map([[join(folder, 'engine.component.wasm'), bytes]])
  for (const [path, content] of Object.entries(files)) {
    written.set(join(folder, 'component', path), content)
  }
  for (const [path, content] of written) {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, content)
  }
  return [...written.keys()]
}

if (import.meta.filename === process.argv[1]) {
  const component = await wrapEngine(await readFile(join(root, 'build/engine.wasm')))
  const paths = await writeComponent(join(root, 'build'), component)
  for (const path of paths) console.log(relative(process.cwd(), path))
}
