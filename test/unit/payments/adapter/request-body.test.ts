import type { IncomingMessage } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { fetchBody, nodeBody } from '../../../../host/payments/adapter/request-body.ts'
import { serveHttp } from '../../../support/http-server.ts'
import { exchange } from '../../../support/payments/sold-app.ts'

const MAX = 100_000
const LARGE = 'x'.repeat(MAX)

type Handler = (request: IncomingMessage) => Promise<string>

/** Serves what a handler returns, and resolves with the port. */
async function serve(handler: Handler): Promise<number> {
  const { port, close } = await serveHttp(async (request, response) => {
    const text = await handler(request).catch((error: Error) => error.message)
    response.once('finish', () => request.resume())
    response.end(text)
  })
  onTestFinished(close)
  return port
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += chunk
  return text
}

/** Reads the body, and then reads it again as a handler does. */
const readTwice: Handler = async (request) => {
  const body = await nodeBody(request, MAX)
  const first = body === undefined ? 'too long' : Buffer.from(body).toString()
  const second = body === undefined ? '' : await textOf(request)
  return `${first.length} ${first === second} ${first.slice(0, 8)}`
}

test.each([
  ['hello', '5 true hello'],
  ['', '0 true '],
  [LARGE, `${MAX} true xxxxxxxx`],
  [`${LARGE}y`, '8 false too long'],
])('a body is read whole by the seller and again by the handler (%#)', async (body, told) => {
  const port = await serve(readTwice)
  const answer = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body })
  expect(await answer.text()).toBe(told)
})

test('a chunked body of unknown length is read whole and again by the handler', async () => {
  const port = await serve(readTwice)
  const pieces = ['one ', 'two ', LARGE.slice(0, 70_000), ' end']
  const body = new ReadableStream({
    async start(controller) {
      for (const piece of pieces) {
        controller.enqueue(new TextEncoder().encode(piece))
        await new Promise((resolve) => setImmediate(resolve))
      }
      controller.close()
    },
  })
  const init = { method: 'POST', body, duplex: 'half' } as RequestInit
  const answer = await fetch(`http://127.0.0.1:${port}/`, init)
  expect(await answer.text()).toBe(`${pieces.join('').length} true one two `)
})

test('a body that no handler reads does not keep the connection open', async () => {
  const port = await serve(async (request) => `${(await nodeBody(request, MAX))?.length}`)
  const post = (close: string) =>
    `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${MAX}\r\n${close}\r\n${LARGE}`
  const answers = await exchange(port, post('') + post('') + post('Connection: close\r\n'))
  expect(answers.match(/\r\n\r\n100000/g)).toHaveLength(3)
})

test('a client that disconnects in the middle of its body is distinguished', async () => {
  let told = ''
  const port = await serve(async (request) => {
    request.socket.once('data', () => {})
    const read = Promise.resolve(nodeBody(request, MAX))
    setImmediate(() => request.destroy())
    told = await read.then(String, (error: { code: string }) => error.code)
    return told
  })
  await exchange(port, 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhalf').catch(
    () => '',
  )
  await expect.poll(() => told).toBe('INTERRUPTED')
})

test('the result of an earlier body parser stands for the body', async () => {
  const port = await serve(async (request) => {
    const body = JSON.parse(await textOf(request))
    const bytes = await nodeBody(Object.assign(request, { body }), MAX)
    return Buffer.from(bytes ?? []).toString()
  })
  const init = { method: 'POST', body: '{ "b": 1, "a": [2] }' }
  const answer = await fetch(`http://127.0.0.1:${port}/`, init)
  expect(await answer.text()).toBe('{"b":1,"a":[2]}')
})

test('a request of the Fetch API is read and stays readable', async () => {
  const request = (body: string) => new Request('http://a/', { method: 'POST', body })
  const one = request('hello')
  expect(Buffer.from((await fetchBody(one, 5)) ?? []).toString()).toBe('hello')
  expect(await one.text()).toBe('hello')
  const long = request('hello!')
  expect(await fetchBody(long, 5)).toBeUndefined()
  expect((await fetchBody(new Request('http://a/'), 5))?.length).toBe(0)
  const used = request('hello')
  await used.text()
  await expect(fetchBody(used, 5)).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
})
