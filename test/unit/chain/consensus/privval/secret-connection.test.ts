import { once } from 'node:events'
import { createConnection, createServer, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { generateKey } from '../../../../../host/chain/consensus/comet/ed25519.ts'
import {
  type ByteStream,
  socketStream,
} from '../../../../../host/chain/consensus/privval/byte-stream.ts'
import { MerlinTranscript } from '../../../../../host/chain/consensus/privval/merlin.ts'
import { secureConnection } from '../../../../../host/chain/consensus/privval/secret-connection.ts'
import { makeRandom, runSeed } from '../../../../support/random.ts'

const seed = runSeed()
const text = (value: string) => new TextEncoder().encode(value)

test('a transcript has the challenge of the reference implementation', () => {
  const transcript = new MerlinTranscript('test protocol')
  transcript.append('some label', text('some data'))
  const challenge = transcript.challenge('challenge', 32)
  expect(Buffer.from(challenge).toString('hex')).toBe(
    'd5a21972d0d5fe320c0d263fac7fffb8145aa640af6e9bca177c03c7efcf0615',
  )
})

/** Runs two sides over a loopback socket. */
async function connected(work: (near: Socket, far: Socket) => Promise<void>): Promise<void> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const near = createConnection(port, '127.0.0.1')
  const [far] = (await once(server, 'connection')) as [Socket]
  try {
    await work(near, far)
  } finally {
    near.destroy()
    far.destroy()
    await new Promise((resolve) => server.close(resolve))
  }
}

test(`both sides prove their keys, and bytes of any lengths arrive in order, seed ${seed}`, async () => {
  const random = makeRandom(seed)
  await connected(async (near, far) => {
    const [a, b] = [generateKey(), generateKey()]
    const [client, server] = await Promise.all([
      secureConnection(socketStream(near), a),
      secureConnection(socketStream(far), b),
    ])
    expect(client.remoteKey).toEqual(b.publicKey)
    expect(server.remoteKey).toEqual(a.publicKey)
    for (const length of [0, 1, 1023, 1024, 1025, 5000]) {
      const sent = Uint8Array.from({ length }, () => Math.floor(random() * 256))
      client.stream.write(sent)
      expect(Buffer.from(await server.stream.read(length)).equals(sent)).toBe(true)
    }
    server.stream.write(text('back'))
    expect(await client.stream.read(4)).toEqual(Uint8Array.from(text('back')))
  })
})

/** Changes one bit of what is read, from the `from`-th byte on. */
function flipped(stream: ByteStream, from: number): ByteStream {
  let at = 0
  return {
    ...stream,
    read: async (length) => {
      const bytes = Uint8Array.from(await stream.read(length))
      const i = from - at
      at += length
      if (i >= 0 && i < length) bytes[i] = (bytes[i] as number) ^ 1
      return bytes
    },
  }
}

test.each([
  ['its length', 0],
  ['the ephemeral key', 20],
  ['the sealed identity', 60],
  ['the tag', 35 + 1043],
])('a handshake with a changed bit in %s fails', async (_, at) => {
  await connected(async (near, far) => {
    const ends = await Promise.allSettled([
      secureConnection(socketStream(near), generateKey()).catch((error) => {
        near.destroy()
        throw error
      }),
      secureConnection(flipped(socketStream(far), at), generateKey()).catch((error) => {
        far.destroy()
        throw error
      }),
    ])
    expect(ends[1]).toMatchObject({ status: 'rejected', reason: { code: 'PEER_INVALID' } })
  })
})

test('an ephemeral key of low order is refused', async () => {
  await connected(async (near, far) => {
    near.write(Buffer.concat([Buffer.from('220a20', 'hex'), Buffer.alloc(32)]))
    await expect(secureConnection(socketStream(far), generateKey())).rejects.toThrow(
      'SecretConnection: the ephemeral key of the peer is a point of low order',
    )
  })
})

test('a frame that is sent twice does not decrypt', async () => {
  await connected(async (near, far) => {
    const frames: Uint8Array[] = []
    const base = socketStream(near)
    const recording: ByteStream = {
      ...base,
      write: (bytes) => {
        frames.push(bytes)
        base.write(bytes)
      },
    }
    const [client, server] = await Promise.all([
      secureConnection(recording, generateKey()),
      secureConnection(socketStream(far), generateKey()),
    ])
    client.stream.write(text('once'))
    await server.stream.read(4)
    base.write(frames.at(-1) as Uint8Array)
    await expect(server.stream.read(4)).rejects.toThrow('a frame does not decrypt')
  })
})
