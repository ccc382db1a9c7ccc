import type { CompressedPeers } from '../../api/server/content-coding.ts'
import type { HttpHandler, HttpRequest, HttpResponse } from '../../api/server/server.ts'
import { StaticFiles } from '../../api/server/static-files.ts'
import { EXPLORER_PAGE, EXPLORER_PATH, type ExplorerFiles } from './explorer-files.ts'
import { explorerPolicy } from './explorer-policy.ts'

/** `/explorer`, `/explorer/tx/0x...`: the page interprets the rest. */
const PAGE_PATHS = /^\/explorer(?:\/(?!assets)[a-z]+(?:\/[0-9A-Za-z]+)?)?\/?$/

const HEADERS = {
  'content-security-policy': explorerPolicy(),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

function plainText(status: number, text: string, headers = {}): HttpResponse {
  const type = { 'content-type': 'text/plain; charset=utf-8' }
  return { status, headers: { ...HEADERS, ...type, ...headers }, body: `${text}\n` }
}

const WRONG_METHOD = plainText(405, 'method not allowed', { allow: 'GET, HEAD' })
const NO_PAGE = plainText(
  404,
  'no such page: there are /explorer, /explorer/tx/<hash>, /explorer/block/<number or hash>, ' +
    '/explorer/address/<address>',
)

/**
 * Handles requests below /explorer. Each file has one spelling: nothing is decoded, and no request path reaches the
 * file system.
 */
export function explorerHandler(files: ExplorerFiles, peers: CompressedPeers): HttpHandler {
  const served = new StaticFiles(HEADERS, peers)
  return (request) => {
    const { method, path } = request
    if (method !== 'GET' && method !== 'HEAD') return WRONG_METHOD
    const name = PAGE_PATHS.test(path) ? EXPLORER_PAGE : path.slice(EXPLORER_PATH.length + 1)
    const file = files.get(name)
    return file === undefined ? NO_PAGE : served.answer(file, request)
  }
}

/** Answers requests below /explorer with 404 if the page is not served. */
export function absentExplorer(reason: string): HttpHandler {
  const answer = plainText(404, reason)
  return () => answer
}

/** Routes requests below /explorer to another handler. `onAnswer` receives the status of its responses. */
export function withExplorer(
  handler: HttpHandler,
  explorer: HttpHandler,
  onAnswer: (status: number) => void,
): HttpHandler {
  const counted = (answer: HttpResponse): HttpResponse => {
    onAnswer(answer.status)
    return answer
  }
  return (request) => {
    if (!isBelow(request)) return handler(request)
    const answer = explorer(request)
    return answer instanceof Promise ? answer.then(counted) : counted(answer)
  }
}

function isBelow({ path }: HttpRequest): boolean {
  return path === EXPLORER_PATH || path.startsWith(`${EXPLORER_PATH}/`)
}
