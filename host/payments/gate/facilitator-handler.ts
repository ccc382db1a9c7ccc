import type { HttpHandler } from '../../api/server/server.ts'
import type { Facilitator } from '../settle/facilitator.ts'

/** Paths of a facilitator. */
export const FACILITATOR_PATHS: readonly string[] = ['/verify', '/settle', '/supported']

/** Handles facilitator requests. */
export function facilitatorHandler(
  facilitator: Facilitator,
  onDefect: (error: unknown) => void,
): HttpHandler {
  return async (request) => {
    const authorization = request.headers.get('authorization')
    const { method, path } = request
    const asked = { method, path, authorization, body: request.body }
    const answer = await facilitator.answer(asked)
    if (answer === undefined) return { status: 404, body: 'not found\n' }
    if (request.signal.aborted) await answer.failed().catch(onDefect)
    // After the response is handed to the socket.
    else setImmediate(() => answer.delivered().catch(onDefect))
    const { status, headers, body } = answer
    return { status, headers, body }
  }
}
