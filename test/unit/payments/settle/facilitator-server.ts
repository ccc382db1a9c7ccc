import type { Facilitator } from '../../../../host/payments/settle/facilitator.ts'
import { type FakeServer, startFakeServer } from '../../../support/fake-server.ts'

/** Serves a facilitator on a free port of this machine. */
export function serveFacilitator(facilitator: Facilitator): Promise<FakeServer> {
  return startFakeServer(async (response, { method, path, headers: { authorization }, body }) => {
    const asked = { method, path, authorization, body: Buffer.from(body) }
    const answer = await facilitator.answer(asked)
    if (answer === undefined) return response.writeHead(404).end()
    response.writeHead(answer.status, answer.headers).end(answer.body)
    return answer.delivered()
  })
}
