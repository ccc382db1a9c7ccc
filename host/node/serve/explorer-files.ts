import { readdir, readFile } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { StaticFile } from '../../api/server/static-files.ts'
import { lookup } from '../../base/lookup.ts'

/** Path of the explorer on the EVM JSON-RPC server, so that the page queries its own origin. */
export const EXPLORER_PATH = '/explorer'

/** The page; it loads all other files. */
export const EXPLORER_PAGE = 'index.html'

/** File names in this folder contain content hashes. */
const ASSETS = 'assets/'

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
}

/** The files of the page, by path relative to its folder. */
export type ExplorerFiles = ReadonlyMap<string, StaticFile>

const BUILT = fileURLToPath(new URL('../../../build/explorer/', import.meta.url))

/** Reads the built page; undefined if it was not built. */
export async function readExplorer(folder: string = BUILT): Promise<ExplorerFiles | undefined> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const read = entries.map(async (entry): Promise<[string, StaticFile] | undefined> => {
    const type = lookup(TYPES, extname(entry.name))
    if (!entry.isFile() || type === undefined) return undefined
    const file = join(entry.parentPath, entry.name)
    const path = relative(folder, file).split(sep).join('/')
    return [path, { type, bytes: await readFile(file), isImmutable: path.startsWith(ASSETS) }]
  })
  const files = new Map((await Promise.all(read)).filter((file) => file !== undefined))
  const page = files.get(EXPLORER_PAGE)
  if (page === undefined) return undefined
  return files.set(EXPLORER_PAGE, { ...page, bytes: placed(page.bytes) })
}

/** Rewrites the page's relative paths to those of this server. */
function placed(page: Uint8Array): Uint8Array {
  const html = Buffer.from(page)
    .toString()
    .replace(/((?:src|href)=")\.\//g, `$1${EXPLORER_PATH}/`)
    .replace('name="explorer-base" content=""', `name="explorer-base" content="${EXPLORER_PATH}"`)
    .replace('name="explorer-rpc" content=""', 'name="explorer-rpc" content="/"')
  return Buffer.from(html)
}
