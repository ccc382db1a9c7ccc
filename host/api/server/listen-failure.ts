import net from 'node:net'
import { LockstepError, messageOf } from '../../base/error.ts'

/** The error that says why nothing can listen on an address. */
export function addressError(host: string, port: number, cause: NodeJS.ErrnoException) {
  if (cause.code === 'EADDRINUSE') {
    return new LockstepError('PORT_IN_USE', `${host}:${port} is already in use`, { cause })
  }
  const message = `cannot listen on ${host}:${port}: ${messageOf(cause)}`
  return new LockstepError('INVALID_ARGUMENT', message, {
    cause,
    hint: 'give an address of this machine and a port that this user may open',
  })
}

/** The error for an address on which uWebSockets.js could not listen, found by trying: the library gives no reason. */
export function listenFailure(host: string, port: number): Promise<LockstepError> {
  return new Promise((resolve) => {
    const probe = net.createServer()
    probe.once('error', (cause) => resolve(addressError(host, port, cause)))
    probe.listen({ host, port, exclusive: true }, () => {
      // Free by now: whoever held it has just let go.
      probe.close(() => resolve(new LockstepError('PORT_IN_USE', `${host}:${port} was in use`)))
    })
  })
}
