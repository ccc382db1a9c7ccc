import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse } from 'smol-toml'
import { expect } from 'vitest'
import { BROWSER_NAMES, installedBrowser, whyNoBrowser } from '../../support/browser/browser.ts'
import { commandsOf, fencedBlocks, inlineCommands } from '../../support/markdown-blocks.ts'
import { devAccount } from '../../support/node/dev-wallet.ts'
import { type NetworkNamespace, openNetworkNamespace } from './network-namespace.ts'
import { INSTEAD, readPage } from './readme-parts.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

/** Sends the transaction whose page is opened next. */
const FAILING = 'node tools/explorer/failing.mjs'
/** Text of the page after it has read the compiler output. */
const WHY = 'shop.sol, line 16, in Till.charge'
const PAGE_PRINTER = fileURLToPath(new URL('print-page.ts', import.meta.url))

/** The lines that a node writes after it responds, with a port of README or its own. */
const ANSWERS = /EVM JSON-RPC +http:\/\/127\.0\.0\.1:(?:8545|9545)\n[\s\S]*Home /
const SERVES = /^npm start$|^npm run -s lockstep -- start\b/
/** A start with its own port, for a second node beside the running one. */
const BESIDE = /--evm\.http-port/
const STAND_INS: ReadonlySet<string> = new Set(Object.values(INSTEAD).map(({ run }) => run))
const STOPPED_NODE =
  /snapshot export|lockstep -- export|debug (state-size|verify-db)|rollback|lockstep -- doctor/

interface Shell {
  readonly child: ChildProcess
  readonly ended: Promise<number | null>
  output(): string
}

/** Returns the command of a line without its comment. */
export function withoutComment(line: string): string {
  return line.replace(/ +#.*$/, '')
}

/** Follows pages in its own checkout and empty home, in a network namespace with all ports free. */
export class ReadmeReader {
  readonly #network: NetworkNamespace
  readonly #folder = mkdtempSync(join(tmpdir(), 'lockstep readme '))
  readonly #home = join(this.#folder, 'home')
  /** Running nodes, the oldest first. */
  readonly #nodes: Shell[] = []
  readonly #stoodIn = new Set<string>()
  /** Known values of the placeholders in angle brackets. */
  readonly #values = new Map([
    ['moniker', 'alice'],
    ['address', devAccount(0).address as string],
  ])

  readonly checkout: string = join(this.#folder, 'a checkout')

  /** Returns undefined, with a message, if the system has no network namespaces. */
  static async arrive(): Promise<ReadmeReader | undefined> {
    const network = await openNetworkNamespace()
    if (network !== undefined) return new ReadmeReader(network)
    console.log(
      'README is not run: `unshare -Urn` with `ip` gives no network namespace on this system',
    )
    return undefined
  }

  private constructor(network: NetworkNamespace) {
    this.#network = network
    cpSync(ROOT, this.checkout, {
      recursive: true,
      filter: (path) => !['node_modules', '.cache', '.git'].includes(basename(path)),
    })
    for (const name of ['node_modules', '.cache']) {
      symlinkSync(join(ROOT, name), join(this.checkout, name))
    }
    mkdirSync(this.#home)
  }

  async leave(): Promise<void> {
    await this.#stopNodes()
    await this.#network.close()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  /** Follows pages in order. Each path is relative to the checkout. */
  async read(paths: readonly string[]): Promise<void> {
    for (const path of paths) await this.#readPage(readPage(path))
  }

  /** Follows the code blocks of a page, then the commands in its text. */
  async #readPage(page: string): Promise<void> {
    for (const { language, text } of fencedBlocks(page)) {
      const [, name] = /^\/\/ (\w+\.mjs)\n/.exec(text) ?? []
      if (language === 'js' && name !== undefined) writeFileSync(join(this.checkout, name), text)
      if (language === 'toml') await this.#startWith(text)
      if (language !== 'sh') continue
      for (const command of commandsOf(text)) await this.#follow(command)
    }
    await this.#stopNodes()
    for (const command of inlineCommands(page)) await this.#follow(command)
  }

  /** Returns the output of a command, which must succeed. */
  async run(command: string): Promise<string> {
    const { ended, output } = this.#shell(command)
    expect(await ended, `${command}\n${output()}`).toBe(0)
    return output()
  }

  #shell(command: string): Shell {
    const [program = '', ...before] = this.#network.enter
    const child = spawn(program, [...before, 'sh', '-c', command], {
      cwd: this.checkout,
      // Only the variables of a login, none of the test process.
      env: { PATH: process.env.PATH, HOME: this.#home, LANG: 'C.UTF-8' },
      stdio: ['ignore', 'pipe', 'pipe'],
      // A process group, as in a terminal, so that Ctrl-C reaches all of it.
      detached: true,
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (data) => {
        output += data
      })
    }
    const ended = once(child, 'close').then(([code]) => code as number | null)
    return { child, ended, output: () => output }
  }

  async #serve(command: string): Promise<void> {
    const started = this.#shell(command)
    this.#nodes.push(started)
    await new Promise<void>((resolve, reject) => {
      started.child.stdout?.on('data', () => ANSWERS.test(started.output()) && resolve())
      started.ended.then(() => reject(new Error(`${command} ended:\n${started.output()}`)))
    })
  }

  /** Sends Ctrl-C to the latest first, so that a following node stops before the one it follows. */
  async #stopNodes(): Promise<void> {
    for (let node = this.#nodes.pop(); node !== undefined; node = this.#nodes.pop()) {
      const { child, ended, output } = node
      process.kill(-Number(child.pid), 'SIGINT')
      // npm is ended by the signal, the node shuts down by itself.
      await ended
      expect(output()).toMatch(/ stopped\n/)
    }
  }

  #substitute(command: string): string {
    return command.replace(/<(\w+)>/g, (_, name: string) => {
      const value = this.#values.get(name)
      if (value === undefined) throw new Error(`nothing is known of <${name}> in ${command}`)
      return value
    })
  }

  /** Stores values for later placeholders from the output of a command. */
  #learn(command: string, output: string): void {
    if (command === 'node first.mjs') {
      const [, hash] = /^0x([0-9a-f]{64}) \{/m.exec(output) ?? []
      expect(output).toContain(`type: 'CALL'`)
      this.#values.set('hash', hash as string)
    }
    if (command === FAILING) {
      const [, hash] = /^(0x[0-9a-f]{64}) reverted$/m.exec(output) ?? []
      this.#values.set('failed', hash as string)
    }
    if (command.includes('wallet app create')) {
      const { appId, appSecret } = JSON.parse(/^\{.*\}$/m.exec(output)?.[0] ?? '')
      this.#values.set('app_id', appId).set('app_secret', appSecret)
    }
    if (command.includes('wallet agent create')) {
      const { agentId, agentSecret } = JSON.parse(/^\{.*\}$/m.exec(output)?.[0] ?? '')
      this.#values.set('agent_id', agentId).set('agent_secret', agentSecret)
    }
    if (command.startsWith('node agent.mjs')) {
      expect(output).toMatch(
        /^0\.5 0x[0-9a-f]{64}\n0\.6 RPC request denied due to policy violation: .+\n/,
      )
    }
    if (command.startsWith('node backend.mjs')) {
      const [, wallet] = /^wallet (\S+)$/m.exec(output) ?? []
      this.#values.set('wallet_id', wallet as string)
    }
    if (command.includes(':8402/')) {
      expect(JSON.parse(output).accepts, command).toHaveLength(1)
    } else if (command.startsWith('curl')) {
      const answer = JSON.parse(output)
      expect(answer, command).toHaveProperty('result')
      expect(answer).not.toHaveProperty('error')
      if (command.includes('/block?')) this.#values.set('block_hash', answer.result.block_id.hash)
    }
    if (command.includes('snapshot export')) {
      this.#values.set('height', output.trim().split('/').at(-1) as string)
    }
  }

  /** Returns the transaction link that the running node has printed. */
  #printedLink(hash: string): string {
    const line = new RegExp(`INF submitted transaction hash=${hash} explorer=(\\S+)\n`)
    const [, link] = line.exec(this.#nodes[0]?.output() ?? '') ?? []
    expect(link).toBe(`http://127.0.0.1:8545/explorer/tx/${hash}`)
    return link as string
  }

  /** Opens a link, in a browser if one is installed, and checks that it explains why the transaction failed. */
  async #open(link: string): Promise<void> {
    const page = await this.run(`curl -sf '${link}'`)
    const [script] = /\/explorer\/assets\/[\w.-]+\.js/.exec(page) ?? []
    await this.run(`curl -sf 'http://127.0.0.1:8545${script}' >script.js && test -s script.js`)
    for (const browser of BROWSER_NAMES) {
      if (installedBrowser(browser) === undefined) {
        console.log(`the link is not opened in a browser: ${whyNoBrowser(browser)}`)
        continue
      }
      const shown = await this.run(
        `'${process.execPath}' '${PAGE_PRINTER}' ${browser} '${link}' '${WHY}' build/shop.json`,
      )
      expect(shown).toContain('if (left < price) revert TooLittle(customer, left, price);')
    }
  }

  async #follow(command: string): Promise<void> {
    const literal = this.#substitute(INSTEAD[withoutComment(command)]?.run ?? command)
    if (this.#repeats(literal)) return
    if (SERVES.test(literal)) {
      if (!BESIDE.test(literal)) await this.#stopNodes()
      await this.#serve(literal)
    } else {
      if (STOPPED_NODE.test(literal)) await this.#stopNodes()
      this.#learn(command, await this.run(literal))
      if (command !== FAILING) return
      await this.#open(this.#printedLink(this.#values.get('failed') as string))
    }
  }

  /** Returns true if a command stands in for others and has already run, since it would show the same. */
  #repeats(command: string): boolean {
    const literal = withoutComment(command)
    if (!STAND_INS.has(literal)) return false
    const repeats = this.#stoodIn.has(literal)
    this.#stoodIn.add(literal)
    return repeats
  }

  /** Starts a node with this app.toml and checks what README promises for it. */
  async #startWith(toml: string): Promise<void> {
    await this.#stopNodes()
    const other = mkdtempSync(join(this.#folder, 'configured '))
    await this.run(`npm run -s lockstep -- init --chain-id dev --home '${other}'`)
    writeFileSync(join(other, 'config/app.toml'), toml)
    await this.#serve(`npm run -s lockstep -- start --home '${other}'`)
    if (toml.includes('[payments]')) await this.#meetPrices(toml)
    if (toml.includes('evm-ss-split')) {
      for (const line of readPage('host/storage/README.md').matchAll(
        /`((?:NodeDB|EVM state)[^`]*enabled)`/g,
      )) {
        expect(this.#nodes[0]?.output()).toContain(line[1])
      }
    }
    await this.#stopNodes()
  }

  /** Checks that each resource of a block is sold at its price, in millionths. */
  async #meetPrices(toml: string): Promise<void> {
    const { payments } = parse(toml) as {
      payments: { resource?: { path: string; price: string }[] }
    }
    for (const { path, price } of payments.resource ?? []) {
      const { accepts } = JSON.parse(await this.run(`curl -s 127.0.0.1:8402${path}`))
      expect(accepts[0]).toMatchObject({ maxAmountRequired: String(Number(price) * 1e6) })
    }
  }
}
