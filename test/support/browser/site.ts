import { createReadStream, existsSync, statSync } from 'node:fs'
import { extname, join, normalize } from 'node:path'
import { explorerPolicy } from '../../../host/node/serve/explorer-policy.ts'
import { serveHttp } from '../http-server.ts'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
}

/** A folder served on a free port of this machine, with a content security policy. */
export interface Site {
  /** Ends with a slash. */
  readonly url: string
  readonly host: string
  /** Paths and sizes of the responses so far. */
  readonly served: readonly { readonly path: string; readonly bytes: number }[]
  close(): Promise<void>
}

export async function serveFolder(
  folder: string,
  policy: string = explorerPolicy(),
): Promise<Site> {
  const served: { path: string; bytes: number }[] = []
  const { port, close } = await serveHttp((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost')
    const path = normalize(decodeURIComponent(pathname)).replace(/\/$/, '/index.html')
    const file = join(folder, path)
    if (!file.startsWith(folder) || !existsSync(file) || !statSync(file).isFile()) {
      response.writeHead(404).end()
      return
    }
    const { size } = statSync(file)
    served.push({ path, bytes: size })
    response.writeHead(200, {
      'content-type': TYPES[extname(file)] ?? 'application/octet-stream',
      'content-length': size,
      'content-security-policy': policy,
      'x-content-type-options': 'nosniff',
    })
    createReadStream(file).pipe(response)
  })
  const host = `127.0.0.1:${port}`
  return { url: `http://${host}/`, host, served, close }
}
