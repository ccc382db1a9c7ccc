import net from 'node:net'
import { LockstepError, messageOf } from '../../base/error.ts'

/** Returns the error for a failure to listen on an address. */
export function addressError(host: string, port: number, cause: NodeJS.ErrnoException) {
  if (cause.code === 'EADDRINUSE') {
    return new LockstepError('PORT_IN_USE', `${host}:${port} is already in use`, { cause })
  }
  const message = `cannot listen on ${host}:${port}: ${messageOf(cause)}`
  return new LockstepError('INVALID_ARGUMENT', message, {
    cause,
    hint: 'choose an address of this machine and a port that this user may open',
  })
}

/**
 * Returns the error for an address on which uWebSockets.js could not listen. Binds to it to find the reason, because
 * the library gives none.
 */
export function listenFailure(host: string, port: number): Promise<LockstepError> {
  return new Promise((resolve) => {
    const probe = net.createServer()
    probe.once('error', (cause) => resolve(addressError(host, port, cause)))
    probe.listen({ host, port, exclusive: true }, () => {
      // The port has become free since.
      probe.close(() => resolve(new LockstepError('PORT_IN_USE', `${host}:${port} was in use`)))
    })
  })
}
