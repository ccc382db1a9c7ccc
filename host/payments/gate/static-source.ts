import { createReadStream } from 'node:fs'
import { readFile, realpath, stat } from 'node:fs/promises'
import { extname, join, sep } from 'node:path'
import type { BorrowedView } from '../../base/borrowed-view.ts'
import { lookup } from '../../base/lookup.ts'
import { isJson, mergePayment } from './payment-body.ts'
import type { ResourceSource, ServableResource } from './resource-source.ts'

/** Longer files are streamed; JSON that receives a member may be longer, since it must be held whole. */
const WHOLE_BYTES = 256 * 1024
const WHOLE_JSON_BYTES = 8 * 1024 * 1024

const INDEX = 'index.html'

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.csv': 'text/csv; charset=utf-8',
  '.gif': 'image/gif',
  '.gz': 'application/gzip',
  '.html': 'text/html; charset=utf-8',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.md': 'text/markdown; charset=utf-8',
  '.mp3': 'audio/mpeg',
  '.mp4': 'video/mp4',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.webp': 'image/webp',
  '.xml': 'application/xml',
  '.zip': 'application/zip',
}

/** Returns the media type for a file name. */
export function mediaTypeOf(name: string): string {
  return lookup(TYPES, extname(name).toLowerCase()) ?? 'application/octet-stream'
}

export interface StaticSourceOptions {
  /** The configured path, stripped from request paths to get file names below a folder. */
  readonly path: string
  /** Absolute path of a file or a folder. */
  readonly root: string
  /** Media type of every file; undefined to derive it from the file name. */
  readonly mediaType: string | undefined
  /** True if JSON objects receive the member `payment`. */
  readonly withMember: boolean
}

/** Serves a file, or the files of a folder. Hidden files and links that leave the folder are not found. */
export class StaticSource implements ResourceSource {
  readonly #options: StaticSourceOptions

  constructor(options: StaticSourceOptions) {
    this.#options = options
  }

  async find(path: string): Promise<ServableResource | undefined> {
    try {
      const file = await this.#locate(path)
      return file === undefined ? undefined : this.#offer(file.name, file.size)
    } catch {
      // Missing, unreadable, or the name is too long: all are "not found" to a client.
      return undefined
    }
  }

  async #locate(path: string) {
    const root = await realpath(this.#options.root)
    const { isDirectory, below } = await this.#below(root, path)
    if (below.split('/').some((segment) => segment.startsWith('.'))) return undefined
    const isFolder = below === '' || below.endsWith('/')
    const asked = isDirectory ? join(root, isFolder ? `${below}${INDEX}` : below) : root
    const name = await realpath(asked)
    if (isDirectory && !name.startsWith(root.endsWith(sep) ? root : `${root}${sep}`)) {
      return undefined
    }
    const facts = await stat(name)
    return facts.isFile() ? { name, size: facts.size } : undefined
  }

  async #below(root: string, path: string) {
    const isDirectory = (await stat(root)).isDirectory()
    const prefix = this.#options.path === '/' ? '/' : `${this.#options.path}/`
    return { isDirectory, below: isDirectory ? path.slice(prefix.length) : '' }
  }

  #offer(name: string, size: number): ServableResource {
    const { mediaType = mediaTypeOf(name), withMember } = this.#options
    const headers = { 'content-type': mediaType, 'x-content-type-options': 'nosniff' }
    const isExtended = withMember && isJson(mediaType)
    return {
      serve: async ({ payment }) => {
        if (size > (isExtended ? WHOLE_JSON_BYTES : WHOLE_BYTES)) {
          return { response: { status: 200, headers, body: pieces(name) }, outcome: 'served' }
        }
        const bytes = await readFile(name)
        const body = isExtended ? mergePayment(bytes.toString(), payment) : bytes
        return { response: { status: 200, headers, body }, outcome: 'served' }
      },
    }
  }
}

async function* pieces(name: string): AsyncGenerator<BorrowedView> {
  for await (const piece of createReadStream(name)) yield { borrowed: piece as Buffer }
}
