import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { makeHome, removeHome, runCommand, startDaemon } from '../../../support/node/daemon.ts'
import { MAIN } from '../../../support/node/main-file.ts'

let home: string
beforeEach(() => {
  home = makeHome()
})
afterEach(() => removeHome(home))

describe('start --dev', () => {
  test('creates the chain, announces itself and exits with 0 when stopped', async () => {
    const daemon = await startDaemon({
      home,
      arguments: [
        '--instrumentation.prometheus',
        'true',
        '--instrumentation.prometheus-listen-addr',
        '127.0.0.1:0',
      ],
    })
    try {
      const { rpc, ws, consensus, metrics, pid, chainId } = daemon.ready
      expect(Object.keys(daemon.ready)).toEqual([
        'rpc',
        'ws',
        'explorer',
        'consensus',
        'metrics',
        'payments',
        'paymentToken',
        'wallets',
        'pid',
        'chainId',
        'home',
      ])
      expect(daemon.ready.home).toBe(home)
      expect(pid).toBe(daemon.process.pid)
      expect(chainId).toBe(31_337)
      expect(rpc).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d*$/)
      expect(ws).toBe(rpc.replace('http', 'ws'))
      expect(daemon.output()).toContain(`  EVM JSON-RPC   ${rpc}\n`)
      expect(daemon.output()).toContain(`  Metrics        ${metrics}\n`)
      const page = await (await fetch(String(metrics))).text()
      expect(page).toContain('lockstep_block_height ')
      expect(page).toContain('lockstep_ready 1\n')
      for (const server of [rpc, consensus]) {
        const answer = await fetch(`${server}/ready`)
        expect([answer.status, await answer.json()]).toEqual([
          200,
          { ready: true, height: expect.any(Number), max_peer_height: 0, lag: null },
        ])
        expect((await fetch(`${server}/health`)).status).toBe(200)
      }
      // The ports are free ones that are in no configuration file.
      for (const named of [
        ['--node', consensus],
        ['--home', home],
      ]) {
        const { stdout } = await runCommand(['status', ...named])
        expect(JSON.parse(stdout).NodeInfo.network).toBe('31337')
      }
    } finally {
      expect(await daemon.stop('SIGINT')).toBe(0)
    }
    expect(existsSync(join(home, 'LOCK.pid'))).toBe(false)
    expect(existsSync(join(home, 'running.json'))).toBe(false)
  })

  test('prints only the banner on stdout and removes the ready file', async () => {
    const readyFile = join(home, 'ready.json')
    const args = ['start', '--dev', '--home', home, '--ready-file', readyFile]
    const ports = ['--evm.http-port', '0', '--rpc.laddr', '127.0.0.1:0', '--log-level', 'error']
    const child = spawn(process.execPath, [MAIN, ...args, ...ports], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let stdout = ''
    let stderr = ''
    child.stderr.on('data', (chunk) => {
      stderr += chunk
    })
    const complete = new Promise<void>((resolve) => {
      child.stdout.on('data', (chunk) => {
        stdout += chunk
        if (stdout.endsWith('\n\n')) resolve()
      })
    })
    await Promise.race([complete, once(child, 'exit')])
    child.kill('SIGTERM')
    expect(await once(child, 'close')).toEqual([0, null])
    expect(stdout).toMatch(/^Lockstep \d+\.\d+\.\d+\n\n {2}EVM JSON-RPC {3}http:/)
    expect(stdout.match(/EVM JSON-RPC/g)).toHaveLength(1)
    expect(stderr).toBe('')
    expect(existsSync(readyFile)).toBe(false)
  })

  test('takes the chain id of a new chain and keeps it', async () => {
    const args = ['--chain-id', '1329']
    const daemon = await startDaemon({ home, arguments: args })
    expect(daemon.ready.chainId).toBe(1329)
    expect(await daemon.stop()).toBe(0)
    const genesis = readFileSync(join(home, 'config/genesis.json'), 'utf8')
    const other = await runCommand(['start', '--dev', '--home', home, '--chain-id', '1328'])
    expect(other.code).toBe(64)
    const again = await startDaemon({ home })
    expect(again.ready.chainId).toBe(1329)
    expect(await again.stop()).toBe(0)
    expect(readFileSync(join(home, 'config/genesis.json'), 'utf8')).toBe(genesis)
  })

  test('locks its home', async () => {
    const daemon = await startDaemon({ home })
    try {
      const { code, stderr } = await runCommand(['start', '--dev', '--home', home])
      expect(code).toBe(75)
      expect(stderr).toContain(`is in use by process ${daemon.ready.pid})`)
    } finally {
      await daemon.stop('SIGKILL')
    }
    const next = await startDaemon({ home })
    expect(await next.stop()).toBe(0)
  })

  test('names the port that is in use', async () => {
    const daemon = await startDaemon({ home })
    const other = makeHome()
    try {
      const port = new URL(daemon.ready.rpc).port
      const args = ['start', '--dev', '--home', other, '--rpc.laddr', '127.0.0.1:0']
      const { code, stderr } = await runCommand([...args, '--evm.http-port', port])
      expect(code).toBe(75)
      expect(stderr).toMatch(new RegExp(`^Error: .*${port}.*\nHint: `, 'm'))
    } finally {
      removeHome(other)
      await daemon.stop()
    }
  })
})
