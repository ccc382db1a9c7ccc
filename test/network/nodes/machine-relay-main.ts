import { connect, createServer } from 'node:net'

// Runs inside a machine's network: a client of the socket at `path` sends a port of this machine as one line, and is
// connected to it.

const [path = ''] = process.argv.slice(2)

createServer((client) => {
  client.on('error', () => {})
  client.once('data', (chunk) => {
    const end = chunk.indexOf(0x0a)
    const server = connect(Number(chunk.subarray(0, end).toString()), '127.0.0.1')
    server.on('error', () => client.destroy())
    client.once('close', () => server.destroy())
    if (chunk.length > end + 1) server.write(chunk.subarray(end + 1))
    client.pipe(server).pipe(client)
  })
}).listen(path, () => process.stdout.write('up\n'))

process.stdin.resume().once('end', () => process.exit(0))
