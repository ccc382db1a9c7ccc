import { once } from 'node:events'
import { chmodSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Kind, Side } from './abci-frame.ts'
import { linesOf, type Report, type Rule } from './tap-protocol.ts'

const MAIN = fileURLToPath(new URL('./tap-main.ts', import.meta.url))

/** An awaited message. */
export interface Met {
  /** Resolves with the current height when the message reaches the tap. */
  readonly met: Promise<number>
  /** Forwards the message, or stops waiting for it. */
  release(): void
}

/** A relay between a node's application and its CometBFT, across restarts of both. */
export class CometTap {
  /** Path to configure as the node's cometbft. */
  readonly program: string
  readonly #server: Server
  readonly #relays = new Set<Socket>()
  readonly #waiting = new Map<number, (height: number) => void>()
  #rules: readonly Rule[] = []
  #nextId = 1
  #pid = 0

  private constructor(program: string, server: Server) {
    this.program = program
    this.#server = server
    server.on('connection', (relay) => this.#serve(relay))
  }

  /** @param file path of the program to write; `comet` is the real cometbft */
  static async open(file: string, comet: string): Promise<CometTap> {
    const server = createServer()
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const words = [process.execPath, MAIN, String(port), comet].map((word) => `'${word}'`)
    writeFileSync(file, `#!/bin/sh\nexec ${words.join(' ')} "$@"\n`)
    chmodSync(file, 0o755)
    return new CometTap(file, server)
  }

  /** Process id of the CometBFT started last. */
  get pid(): number {
    return this.#pid
  }

  /** Stops the next message of a kind, or the one of a height, and all that follow it in its direction. */
  hold(kind: Kind, side: Side, height = 0): Met {
    return this.#add({ kind, side, height, action: 'hold' })
  }

  /** Changes the app hash that CometBFT receives from the application. */
  falsifyAppHash(height = 0): Met {
    return this.#add({ kind: 'finalize_block', side: 'response', height, action: 'falsify' })
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    for (const relay of this.#relays) relay.destroy()
    await closed
  }

  #add(rule: Omit<Rule, 'id'>): Met {
    const id = this.#nextId++
    const met = new Promise<number>((resolve) => this.#waiting.set(id, resolve))
    this.#order([...this.#rules, { ...rule, id }])
    return { met, release: () => this.#order(this.#rules.filter((each) => each.id !== id)) }
  }

  #order(rules: readonly Rule[]): void {
    this.#rules = rules
    for (const relay of this.#relays) relay.write(`${JSON.stringify({ rules })}\n`)
  }

  #serve(relay: Socket): void {
    this.#relays.add(relay)
    relay.on('error', () => {})
    relay.once('close', () => this.#relays.delete(relay))
    relay.write(`${JSON.stringify({ rules: this.#rules })}\n`)
    this.#listen(relay).catch(() => relay.destroy())
  }

  async #listen(relay: Socket): Promise<void> {
    for await (const line of linesOf<Report>(relay)) {
      if (line.event === 'started') this.#pid = line.pid
      else this.#waiting.get(line.id)?.(line.height)
    }
  }
}

/** Opens a tap whose program is in a folder. */
export function openTap(folder: string, name: string, comet: string): Promise<CometTap> {
  return CometTap.open(join(folder, `cometbft-${name}`), comet)
}
