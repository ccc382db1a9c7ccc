import { createReadStream } from 'node:fs'
import { readFile, realpath, stat } from 'node:fs/promises'
import { extname, join, sep } from 'node:path'
import type { BorrowedView } from '../../base/borrowed-view.ts'
import { lookup } from '../../base/lookup.ts'
import { isJson, withPayment } from './payment-body.ts'
import type { Offer, ResourceSource } from './resource-source.ts'

/** A longer file is read while it is sent; JSON that a member is added to may be as long as the other. */
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

/** Media type of a file by its name. */
export function mediaTypeOf(name: string): string {
  return lookup(TYPES, extname(name).toLowerCase()) ?? 'application/octet-stream'
}

export interface StaticSourceOptions {
  /** The configured path, which is left out of the names of files below a folder. */
  readonly path: string
  /** A file, or a folder; absolute. */
  readonly root: string
  /** Of every file; undefined where their names tell. */
  readonly mediaType: string | undefined
  /** True where a JSON object has the member `payment`. */
  readonly withMember: boolean
}

/** A file, or the files of a folder. What a link leads out of the folder is not there, and so are hidden files. */
export class StaticSource implements ResourceSource {
  readonly #options: StaticSourceOptions

  constructor(options: StaticSourceOptions) {
    this.#options = options
  }

  async find(path: string): Promise<Offer | undefined> {
    try {
      const file = await this.#locate(path)
      return file === undefined ? undefined : this.#offer(file.name, file.size)
    } catch {
      // Not there, not ours to read, too long a name: all the same to a client.
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

  #offer(name: string, size: number): Offer {
    const { mediaType = mediaTypeOf(name), withMember } = this.#options
    const headers = { 'content-type': mediaType, 'x-content-type-options': 'nosniff' }
    const isExtended = withMember && isJson(mediaType)
    return {
      serve: async ({ payment }) => {
        if (size > (isExtended ? WHOLE_JSON_BYTES : WHOLE_BYTES)) {
          return { response: { status: 200, headers, body: pieces(name) }, outcome: 'served' }
        }
        const bytes = await readFile(name)
        const body = isExtended ? withPayment(bytes.toString(), payment) : bytes
        return { response: { status: 200, headers, body }, outcome: 'served' }
      },
    }
  }
}

async function* pieces(name: string): AsyncGenerator<BorrowedView> {
  for await (const piece of createReadStream(name)) yield { borrowed: piece as Buffer }
}
