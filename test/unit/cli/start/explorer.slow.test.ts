import { afterAll, expect, test } from 'vitest'
import { makeHome, removeHome, startDaemon } from '../../../support/node/daemon.ts'
import { mineDynamicFee } from '../../../support/node/progress.ts'

const home = makeHome()
afterAll(() => removeHome(home))

/** Sends a transaction that fails: its constructor is REVERT(0, 0). */
async function sendFailing(rpc: string): Promise<string> {
  const failing = { gas: 100_000n, data: '0x5f5ffd' } as const
  return (await mineDynamicFee<{ transactionHash: string }>(rpc, 0, failing)).transactionHash
}

test('a dev node serves the explorer and prints its link and the links of transactions', async () => {
  const { ready, output, stop } = await startDaemon({
    home,
    arguments: [
      '--instrumentation.prometheus',
      '--instrumentation.prometheus-listen-addr',
      '127.0.0.1:0',
    ],
  })
  expect(ready.explorer).toBe(`${ready.rpc}/explorer`)
  expect(output()).toContain(`  Explorer       ${ready.explorer}\n`)

  const hash = await sendFailing(ready.rpc)
  const link = `${ready.explorer}/tx/${hash}`
  await expect.poll(output).toContain(`submitted transaction hash=${hash} explorer=${link}\n`)

  const page = await fetch(link)
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  const html = await page.text()
  expect(html).toContain('<meta name="explorer-base" content="/explorer">')
  expect(html).toContain('<meta name="explorer-rpc" content="/">')
  const loaded = [...html.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path]) => path ?? '')
  expect(loaded.length).toBeGreaterThan(1)
  for (const path of loaded) {
    expect(path).toMatch(/^\/explorer\/assets\/[\w.-]+-[\w-]{8}\.(js|css)$/)
    const { status, headers } = await fetch(new URL(path, link))
    expect([path, status, headers.get('cache-control')]).toEqual([
      path,
      200,
      'public, max-age=31536000, immutable',
    ])
  }
  const metrics = await (await fetch(ready.metrics ?? '')).text()
  expect(metrics).toContain(`lockstep_explorer_requests_total{status="200"} ${1 + loaded.length}\n`)
  expect(await stop()).toBe(0)
})

test.each([
  [['--explorer.enable=false'], 'the explorer is off'],
  [['--evm.http-address', '0.0.0.0'], 'the explorer is served only on a loopback http_address'],
])(
  'with %j no explorer is served and no link printed',
  async (args, reason) => {
    const { ready, output, stop } = await startDaemon({ home, arguments: args })
    expect(ready.explorer).toBeNull()
    expect(output()).toContain('  Explorer       off\n')
    const answer = await fetch(`${ready.rpc.replace('0.0.0.0', '127.0.0.1')}/explorer`)
    expect(answer.status).toBe(404)
    expect(await answer.text()).toContain(reason)
    const hash = await sendFailing(ready.rpc.replace('0.0.0.0', '127.0.0.1'))
    await expect.poll(output).toContain(`submitted transaction hash=${hash}\n`)
    expect(await stop()).toBe(0)
  },
  180_000,
)

test('with public = true the explorer listens on every address, and the printed link is for this machine', async () => {
  const { ready, stop } = await startDaemon({
    home,
    arguments: ['--evm.http-address', '0.0.0.0', '--explorer.public'],
  })
  expect(ready.explorer).toBe(`${ready.rpc.replace('0.0.0.0', '127.0.0.1')}/explorer`)
  expect((await fetch(ready.explorer ?? '')).status).toBe(200)
  expect(await stop()).toBe(0)
})
