import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parse } from 'smol-toml'
import { Frames, frameOf, heightOf, kindOf, type Side, withWrongAppHash } from './abci-frame.ts'
import { linesOf, type Order, type Report, type Rule } from './tap-protocol.ts'

// Runs in place of cometbft: starts the real one with a relay between it and the application. The test that listens
// on `controlPort` controls the relay.

const [controlPort = '', program = '', ...args] = process.argv.slice(2)

/** Exits like the child: with its code or by its signal. */
function endAs(code: number | null, signal: NodeJS.Signals | null): void {
  // Node ignores others, such as SIGPIPE.
  if (signal !== 'SIGKILL' && signal !== 'SIGTERM') process.exit(code ?? 1)
  process.removeAllListeners(signal)
  process.kill(process.pid, signal)
}

/** Returns the address on which the application listens, from the configuration. */
function applicationAddress(): { path: string } | { host: string; port: number } {
  const home = args[args.indexOf('--home') + 1] ?? ''
  const config = parse(readFileSync(join(home, 'config/config.toml'), 'utf8'))
  const flag = args.indexOf('--proxy_app')
  const address = String(flag < 0 ? config.proxy_app : args[flag + 1])
  const { protocol, hostname, port } = new URL(address)
  if (protocol === 'unix:') return { path: address.slice('unix://'.length) }
  return { host: hostname, port: Number(port) }
}

const control = connect(Number(controlPort), '127.0.0.1')
// The control connection fails after the end of the test.
control.on('error', () => {})
const report = (line: Report): void => void control.write(`${JSON.stringify(line)}\n`)

let rules: readonly Rule[] = []
let wakeHeld: () => void = () => {}
let changed = new Promise<void>((resolve) => {
  wakeHeld = resolve
})

async function obey(): Promise<void> {
  for await (const order of linesOf<Order>(control)) {
    rules = order.rules
    wakeHeld()
    changed = new Promise((resolve) => {
      wakeHeld = resolve
    })
  }
}

/** Height of the last block sent to the application for execution. */
let height = 0
const met = new Set<number>()

/** Returns the message to forward, after its rule allows it. */
async function pass(message: Uint8Array, side: Side): Promise<Uint8Array> {
  const kind = kindOf(message, side)
  if (kind === 'finalize_block' && side === 'request') height = heightOf(message)
  const rule = rules.find(
    (each) =>
      each.kind === kind && each.side === side && (each.height === 0 || each.height === height),
  )
  if (rule === undefined || met.has(rule.id)) return message
  met.add(rule.id)
  report({ event: 'met', id: rule.id, height })
  if (rule.action === 'falsify') return withWrongAppHash(message)
  while (rules.some(({ id }) => id === rule.id)) await changed
  return message
}

async function relay(from: Socket, to: Socket, side: Side): Promise<void> {
  const frames = new Frames()
  for await (const chunk of from) {
    for (const message of frames.take(chunk)) {
      if (!to.write(frameOf(await pass(message, side)))) await once(to, 'drain')
    }
  }
}

/** The application may start to listen after CometBFT connects. */
async function connectApplication(): Promise<Socket> {
  for (let attempt = 0; ; attempt++) {
    const socket = connect(applicationAddress())
    try {
      await once(socket, 'connect')
      return socket
    } catch (thrown) {
      if (attempt === 100) throw thrown
      await delay(50)
    }
  }
}

async function serve(comet: Socket): Promise<void> {
  comet.on('error', () => {})
  const application = await connectApplication()
  application.on('error', () => {})
  // If one side closes, the other is closed at once, even if messages are held.
  comet.once('close', () => application.destroy())
  application.once('close', () => comet.destroy())
  const ways = [relay(comet, application, 'request'), relay(application, comet, 'response')]
  await Promise.allSettled(ways)
}

async function start(): Promise<void> {
  await once(control, 'connect')
  void obey().catch(() => {})
  const server = createServer((comet) => {
    serve(comet).catch(() => comet.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const child = spawn(program, [...args, '--proxy_app', `tcp://127.0.0.1:${port}`], {
    stdio: 'inherit',
  })
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => child.kill(signal))
  }
  child.once('exit', endAs)
  report({ event: 'started', pid: child.pid ?? 0 })
}

if (args[0] === 'start' || args[0] === 'node') await start()
else spawn(program, args, { stdio: 'inherit' }).once('exit', endAs)
