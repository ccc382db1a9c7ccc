import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const RELAY = fileURLToPath(new URL('./machine-relay-main.ts', import.meta.url))

/** Subnet of the virtual links between machines. */
const SUBNET = '10.77.0'

/** Returns why machines cannot be created here, or an empty string if they can. */
export function machinesMissing(): string {
  if (process.getuid?.() !== 0) return 'network namespaces need root'
  try {
    const script = 'ip link add name br0 type bridge && ip link add name a0 type veth peer name a1'
    execFileSync('unshare', ['-n', 'sh', '-c', script], { stdio: 'ignore' })
    return ''
  } catch {
    return 'this system gives no network namespaces with bridges (unshare, ip)'
  }
}

interface Namespace {
  readonly holder: ChildProcess
  readonly enter: readonly string[]
}

async function openNamespace(): Promise<Namespace> {
  const script = 'ip link set lo up && echo up && exec cat'
  const holder = spawn('unshare', ['-n', 'sh', '-c', script], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  await once(holder.stdout, 'data')
  return { holder, enter: ['nsenter', '-n', '-t', String(holder.pid)] }
}

function ip({ enter }: Namespace, ...args: readonly string[]): void {
  const [program = '', ...words] = enter
  execFileSync(program, [...words, 'ip', ...args])
}

/** A network namespace with a link to the switch. */
export interface Machine {
  readonly address: string
  /** Prefix of a command that is to run on it. */
  readonly enter: readonly string[]
  /** Forwards a port of the test's loopback to the same port of the machine's loopback. */
  expose(port: number): Promise<void>
}

/** Machines connected by a switch that can be partitioned. */
export class Machines {
  readonly all: readonly Machine[]
  readonly #switch: Namespace
  readonly #namespaces: readonly Namespace[]
  readonly #relays: readonly ChildProcess[]
  readonly #servers: Server[]
  readonly #folder: string

  private constructor(
    center: Namespace,
    namespaces: readonly Namespace[],
    relays: readonly ChildProcess[],
    folder: string,
  ) {
    this.#switch = center
    this.#namespaces = namespaces
    this.#relays = relays
    this.#folder = folder
    this.#servers = []
    this.all = namespaces.map(({ enter }, i) => ({
      address: `${SUBNET}.${i + 1}`,
      enter,
      expose: (port) => this.#expose(join(folder, `${i}.sock`), port),
    }))
  }

  static async open(count: number): Promise<Machines> {
    const folder = mkdtempSync(join(tmpdir(), 'machines-'))
    const center = await openNamespace()
    const namespaces: Namespace[] = []
    const relays: ChildProcess[] = []
    for (let i = 0; i < count; i++) {
      const namespace = await openNamespace()
      namespaces.push(namespace)
      const peer = ['peer', 'name', 'eth0', 'netns', String(namespace.holder.pid)]
      ip(center, 'link', 'add', 'name', `port${i}`, 'type', 'veth', ...peer)
      ip(center, 'link', 'set', `port${i}`, 'up')
      ip(namespace, 'addr', 'add', `${SUBNET}.${i + 1}/24`, 'dev', 'eth0')
      ip(namespace, 'link', 'set', 'eth0', 'up')
      // At most one group for each machine.
      ip(center, 'link', 'add', 'name', `group${i}`, 'type', 'bridge')
      ip(center, 'link', 'set', `group${i}`, 'up')
      const [program = '', ...words] = namespace.enter
      const args = [...words, process.execPath, RELAY, join(folder, `${i}.sock`)]
      const relay = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] })
      await once(relay.stdout, 'data')
      relays.push(relay)
    }
    const machines = new Machines(center, namespaces, relays, folder)
    machines.join()
    return machines
  }

  /** Connects every machine with every other. */
  join(): void {
    this.split(this.#namespaces.map((_, i) => i))
  }

  /** Connects machines only within their groups, by index. A machine in no group is isolated. */
  split(...groups: readonly (readonly number[])[]): void {
    for (const [i] of this.#namespaces.entries()) {
      const group = groups.findIndex((members) => members.includes(i))
      if (group < 0) ip(this.#switch, 'link', 'set', `port${i}`, 'nomaster')
      else ip(this.#switch, 'link', 'set', `port${i}`, 'master', `group${group}`)
    }
  }

  async close(): Promise<void> {
    const children = [...this.#relays, this.#switch.holder]
    children.push(...this.#namespaces.map(({ holder }) => holder))
    for (const server of this.#servers) server.close()
    await Promise.all(
      children.map(async (child) => {
        if (child.exitCode !== null) return
        child.stdin?.end()
        await once(child, 'exit')
      }),
    )
    rmSync(this.#folder, { recursive: true, force: true })
  }

  async #expose(path: string, port: number): Promise<void> {
    const server = createServer((client) => {
      client.on('error', () => {})
      const machine = connect(path)
      machine.on('error', () => client.destroy())
      client.once('close', () => machine.destroy())
      machine.write(`${port}\n`)
      client.pipe(machine).pipe(client)
    })
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    this.#servers.push(server)
  }
}
