import { randomInt } from 'node:crypto'
import { createServer, type Server } from 'node:net'

/** Below the ports that the system gives to connections that are made: none of these takes one while a node is down. */
const [LOWEST, HIGHEST] = [10_000, 32_000]

function listen(port: number): Promise<Server | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(undefined))
    server.listen(port, '127.0.0.1', () => resolve(server))
  })
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
  })
}

/** The first of so many ports in a row that were free a moment ago. */
export async function freePorts(count: number): Promise<number> {
  for (;;) {
    const base = randomInt(LOWEST, HIGHEST - count)
    const ports = Array.from({ length: count }, (_, offset) => base + offset)
    const servers = await Promise.all(ports.map(listen))
    const open = servers.filter((server) => server !== undefined)
    await Promise.all(open.map(close))
    if (open.length === count) return base
  }
}
