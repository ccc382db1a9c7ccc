import { RawSocket } from '../node/raw-socket.ts'
import { until } from '../until.ts'
import {
  WIRE_CASES,
  type WireCase,
  type WireOutcome,
  type WireRequest,
  wireBytes,
} from './rfc-9112.ts'

/** A port under test: a request that it answers, and with which status. */
export interface WirePort {
  readonly port: number
  readonly request: WireRequest
  readonly status: number
}

/** The result of a case, or a description of an unexpected one. */
export type WireResult = WireOutcome[number] | string

const PLAIN = WIRE_CASES[0] as WireCase

/** Returns the statuses of the final responses, without 1xx. */
function statuses(received: string): number[] {
  return [...received.matchAll(/HTTP\/1\.1 ([2-5]\d\d) /g)].map(([, status]) => Number(status))
}

/** Returns the status of the plain request. */
export async function plainStatus(port: number, request: WireRequest): Promise<number> {
  const socket = await RawSocket.connect(port)
  try {
    socket.send(wireBytes(PLAIN, request))
    await until(() => statuses(socket.received).length > 0)
    return statuses(socket.received)[0] as number
  } finally {
    socket.destroy()
  }
}

/**
 * Returns the result of a case. After a case that is refused, the plain request follows in the same write and must
 * not be answered. After one that is served, it follows the response and must be answered.
 */
export async function outcomeOf(
  one: WireCase,
  expected: WireOutcome,
  { port, request, status }: WirePort,
): Promise<WireResult> {
  const socket = await RawSocket.connect(port)
  const bytes = wireBytes(one, request)
  const plain = wireBytes(PLAIN, request)
  const told = (end: string) => `${statuses(socket.received).join(', ') || 'nothing'}, ${end}`
  try {
    if (!expected.includes('served')) {
      socket.send(Buffer.concat([bytes, plain]))
      if (expected.includes('silent')) {
        await plainStatus(port, request)
        return socket.received === '' ? 'silent' : told('open')
      }
      const answers = statuses(await socket.closed())
      return answers.length === 1 ? (answers[0] as number) : told('closed')
    }
    socket.send(bytes)
    await until(() => socket.isClosed || statuses(socket.received).length > 0)
    if (/connection: close\r\n/i.test(socket.received)) {
      const answers = statuses(await socket.closed())
      return answers.length === 1 ? (answers[0] as number) : told('closed')
    }
    if (!socket.isClosed) socket.send(plain)
    await until(() => socket.isClosed || statuses(socket.received).length > 1)
    const [first, second, ...more] = statuses(socket.received)
    // A handler may refuse a Host itself.
    const isRight = !one.bytes.startsWith('POST') || first === status || first === 403
    return isRight && second === status && more.length === 0 ? 'served' : told('served')
  } finally {
    socket.destroy()
  }
}
