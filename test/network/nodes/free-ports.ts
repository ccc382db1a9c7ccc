import { randomInt } from 'node:crypto'
import { createServer, type Server } from 'node:net'

/** Below the ephemeral ports of the system, so that no outgoing connection takes the port of a stopped node. */
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

/** Returns the first of `count` consecutive ports that are free now. */
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
