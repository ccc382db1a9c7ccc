import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Daemon,
  initializeValidator,
  makeHome,
  removeHome,
  startDaemon,
} from '../../../support/node/daemon.ts'
import { devAccount } from '../../../support/node/dev-wallet.ts'
import { post } from '../../../support/node/json-rpc.ts'
import { until } from '../../../support/until.ts'

const ORIGIN = 'https://page.example'

describe.each([0, 2])('SIGHUP with %d RPC workers', (workers) => {
  const home = makeHome()
  const app = join(home, 'config', 'app.toml')
  const consensus = join(home, 'config', 'config.toml')
  let daemon: Daemon

  beforeAll(async () => {
    await initializeValidator(home)
    daemon = await startDaemon({
      home,
      dev: false,
      arguments: ['--evm.serving-threads', String(workers), '--consensus.block-time', '200ms'],
    })
  }, 60_000)

  afterAll(async () => {
    await daemon.stop()
    removeHome(home)
  })

  /** Replaces a line of a file. */
  function set(path: string, key: string, value: string): void {
    const before = readFileSync(path, 'utf8')
    const after = before.replace(new RegExp(`^(\\s*${key} = ).*$`, 'm'), `$1${value}`)
    if (after === before) throw new Error(`${path} has no ${key}`)
    writeFileSync(path, after)
  }

  async function hangUp(line: string): Promise<void> {
    const seen = daemon.output().length
    daemon.process.kill('SIGHUP')
    await until(() => daemon.output().slice(seen).includes(line))
  }

  const batch = (length: number): Promise<Response> =>
    fetch(daemon.ready.rpc, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: ORIGIN },
      body: JSON.stringify(
        Array.from({ length }, (_, id) => ({ jsonrpc: '2.0', id, method: 'eth_chainId' })),
      ),
    })

  test('limits and CORS change for the next request, and the node goes on', async () => {
    const before = await batch(3)
    expect(before.headers.get('access-control-allow-origin')).toBeNull()
    expect(await before.json()).toHaveLength(3)
    set(app, 'batch_request_limit', '2')
    set(app, 'cors_origins', `["${ORIGIN}"]`)
    await hangUp('INF a setting is changed key=evm.batch-request-limit from=1000 to=2\n')
    await until(async () => {
      const after = await batch(3)
      const text = await after.text()
      return after.headers.get('access-control-allow-origin') === ORIGIN && /batch/.test(text)
    })
    expect(await (await batch(2)).json()).toHaveLength(2)
  })

  test('the minimum tip changes for the next transaction', async () => {
    const send = async (nonce: number) => {
      const raw = await devAccount(0).signTransaction({
        chainId: daemon.ready.chainId,
        type: 'eip1559',
        nonce,
        to: devAccount(1).address,
        gas: 21_000n,
        maxFeePerGas: 10n ** 12n,
        maxPriorityFeePerGas: 5n,
      })
      return post(daemon.ready.rpc, 'eth_sendRawTransaction', [raw])
    }
    expect((await send(0)).error).toBeUndefined()
    set(app, 'minimum-gas-prices', '"1gwei"')
    await hangUp('INF a setting is changed key=minimum-gas-prices from=0 to=1000000000\n')
    await until(async () => {
      const { error } = await send(1)
      return (error?.message ?? '').includes('gas tip cap 5, minimum needed 1000000000')
    })
  })

  test('the threshold of slow requests changes', async () => {
    expect(daemon.output()).not.toContain(' WRN slow request')
    set(app, 'slow_request', '"1ms"')
    await hangUp('INF a setting is changed key=evm.slow-request')
    const heavy = { to: devAccount(1).address, gas: '0x2faf080', data: '0x' }
    // A loop that ends by lack of gas takes far longer than a millisecond.
    const overrides = { [devAccount(1).address]: { code: '0x5b600056' } }
    await until(async () => {
      await post(daemon.ready.rpc, 'eth_call', [heavy, 'latest', overrides])
      return / WRN slow request method=eth_call code=-?\d+ milliseconds=\d+/.test(daemon.output())
    })
  })

  test('a file with a fault and a key that needs a restart change nothing', async () => {
    set(app, 'batch_request_limit', '"many"')
    await hangUp('ERR the configuration was read again and has a fault: nothing is changed')
    set(app, 'batch_request_limit', '2')
    set(app, 'max_open_connections', '17')
    await hangUp(
      'WRN a changed setting takes effect after a restart key=evm.max-open-connections\n',
    )
    expect(await (await batch(2)).json()).toHaveLength(2)
  })

  test('the log level changes for the next line', async () => {
    set(consensus, 'log-level', '"error"')
    await hangUp('INF a setting is changed key=log-level from=info to=error\n')
    const seen = daemon.output().length
    set(app, 'batch_request_limit', '"many"')
    await hangUp('ERR the configuration was read again and has a fault')
    expect(daemon.output().slice(seen)).not.toMatch(/ (?:INF|WRN) /)
  })
})

test('a development node still stops at SIGHUP', async () => {
  const home = makeHome()
  try {
    const daemon = await startDaemon({ home })
    expect(await daemon.stop('SIGHUP')).toBe(0)
  } finally {
    removeHome(home)
  }
})
