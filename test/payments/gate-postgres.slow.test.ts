import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PostgresSession } from '../../host/storage/store/postgres/postgres-session.ts'
import {
  type Daemon,
  makeHome,
  removeHome,
  runCommand,
  startDaemon,
} from '../support/node/daemon.ts'
import { NO_POSTGRES, POSTGRES_SKIPPED, PostgresServer } from '../support/store/postgres-server.ts'

const GATE = ['--payments.enable', 'true', '--payments.address', '127.0.0.1:0']
const PASSWORDS = ['not%2Fprinted', 'not/printed']

describe.skipIf(NO_POSTGRES !== '')(`a gate with a store in PostgreSQL${POSTGRES_SKIPPED}`, () => {
  const home = makeHome()
  let server: PostgresServer
  let store: string
  let daemon: Daemon | undefined
  const printed: string[] = []

  async function run(...words: string[]): Promise<string> {
    const variables = { LOCKSTEP_PAYMENTS_STORE: store }
    const { code, stdout, stderr } = await runCommand([...words, '--home', home], variables)
    printed.push(stdout, stderr)
    if (code !== 0) throw new Error(`${words.join(' ')} ended with ${code}: ${stdout}${stderr}`)
    return stdout
  }

  beforeAll(async () => {
    server = await PostgresServer.start()
    store = await server.database()
  })
  afterAll(async () => {
    await daemon?.stop()
    await server?.end()
    removeHome(home)
  })

  test('takes over the payments of its folder, and sells on', async () => {
    daemon = await startDaemon({ home, arguments: GATE })
    await runCommand(['payments', 'demo', '--home', home])
    await daemon.stop()
    daemon = undefined
    const refused = startDaemon({
      home,
      arguments: GATE,
      variables: { LOCKSTEP_PAYMENTS_STORE: store },
    })
    await expect(refused).rejects.toThrow('has claims of its own')

    const to = `postgres://127.0.0.1:${server.port}/`
    expect(await run('payments', 'move')).toContain(`Moved 1 payments to ${to}`)
    daemon = await startDaemon({
      home,
      arguments: [...GATE, '--log-level', 'debug'],
      variables: { LOCKSTEP_PAYMENTS_STORE: store },
    })
    await run('payments', 'demo')
    printed.push(daemon.output())
    expect(JSON.parse(await run('payments', 'list', '--json'))).toMatchObject([
      { state: 'delivered', tokens: '0.001', resource: '/weather' },
      { state: 'delivered', tokens: '0.001', resource: '/weather' },
    ])
    const session = await PostgresSession.of(store)
    const rows = await session.transaction((query) =>
      query('select kind, state, resource, tokens::float, symbol from lockstep_payments.payments'),
    )
    await session.close()
    const row = {
      kind: 'transfer',
      state: 'delivered',
      resource: '/weather',
      tokens: 0.001,
      symbol: 'USDC',
    }
    expect(rows).toEqual([row, row])
  })

  test('prints the password of its database nowhere', async () => {
    printed.push(await run('config', 'diff'), await run('config', 'diff', '--json'))
    const bundle = join(home, 'bundle.tar.gz')
    await run('debug', 'collect', '--out', bundle)
    printed.push(gunzipSync(readFileSync(bundle)).toString('latin1'))
    const text = printed.join('\n')
    expect(text).toContain('payments.store')
    for (const password of PASSWORDS) expect(text).not.toContain(password)
    const wrong = await runCommand(['config', 'check', '--home', home], {
      LOCKSTEP_PAYMENTS_STORE: store.replace('postgres:', 'mysql:'),
    })
    const told = `${wrong.stdout}${wrong.stderr}`
    expect(told).toContain('LOCKSTEP_PAYMENTS_STORE: must be a URL such as postgres://')
    for (const password of PASSWORDS) expect(told).not.toContain(password)
  })

  test('refuses its folder after the move', async () => {
    await daemon?.stop()
    daemon = undefined
    await expect(startDaemon({ home, arguments: GATE })).rejects.toThrow(
      'were moved to postgres://',
    )
  })
})
