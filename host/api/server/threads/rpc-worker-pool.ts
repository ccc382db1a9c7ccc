import { createServer } from 'node:net'
import type { MessagePort } from 'node:worker_threads'
import { LockstepError } from '../../../base/error.ts'
import { RestartPause } from '../../../base/process/restart-pause.ts'
import { startTimer, stopTimer, type Timer } from '../../../base/timer.ts'
import { CertificateWatcher } from '../certificate-watcher.ts'
import { addressError } from '../listen-failure.ts'
import type { Listen, Server, ServerOptions } from '../server.ts'
import { SharedSum, type SharedSumPart } from '../shared-sum.ts'
import { loadUws } from '../uws-module.ts'
import { lockPort } from './port-lock.ts'
import { RpcWorkerHandle } from './rpc-worker-handle.ts'

/** Maximum wait in milliseconds for threads to close their sockets when the process exits. */
const LEAVE_MS = 1000

export interface RpcWorkerStart {
  /** Structured-clonable data for the script. */
  readonly data: unknown
  /** Ports in `data`, which are transferred to the thread. */
  readonly transfer: readonly MessagePort[]
  /** Called when the thread has terminated. */
  readonly onExit: () => void
}

export interface RpcWorkerPoolOptions {
  readonly threads: number
  /** The script of each thread; it calls `runRpcWorker`. */
  readonly script: URL
  /** Called for each thread that starts. */
  readonly start: () => RpcWorkerStart
  /** Called for each message of a script. `thread` is unique over the lifetime of the pool. */
  readonly onNote: (thread: number, note: unknown) => void
  /** Answers a question of a script. */
  readonly onQuestion: (question: unknown) => Promise<unknown>
  /** Called when a thread died; a new one replaces it. */
  readonly onDeath: (error: LockstepError) => void
}

/** A server that every thread opens. */
interface OpenServer {
  readonly number: number
  readonly options: ServerOptions
  readonly port: number
  readonly answersHttp: boolean
  readonly connections: SharedSum
  readonly watch: CertificateWatcher | undefined
}

/** The parts of the shared counters that belong to one server on one thread. */
interface Parts {
  readonly connections: SharedSumPart
  readonly held: SharedSumPart
  readonly reserved: SharedSumPart
}

/** A slot of the pool: its current thread and the counters of that thread by server. */
interface Seat {
  thread: RpcWorkerHandle
  startedAt: number
  readonly parts: Map<OpenServer, Parts>
  readonly pause: RestartPause
}

/**
 * Serves on worker threads: each listens on the same port, and the system distributes the connections. The handlers
 * run on this thread; requests and responses cross. The threads start with the first server.
 */
export class RpcWorkerPool {
  readonly #options: RpcWorkerPoolOptions
  readonly #seats: Seat[] = []
  readonly #servers = new Set<OpenServer>()
  readonly #left = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)
  #lastServer = 0
  #lastThread = 0
  #restarts = new Set<Timer>()
  #isClosed = false

  constructor(options: RpcWorkerPoolOptions) {
    this.#options = options
  }

  /** @param answersHttp whether the script may itself answer HTTP requests other than upgrades */
  listener(answersHttp: boolean): Listen {
    return (options) => this.#listen(options, answersHttp)
  }

  /** Terminates the threads, whose servers must be closed. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const timer of this.#restarts) stopTimer(timer)
    process.off('exit', this.#leave)
    await Promise.all(this.#seats.map(({ thread }) => thread.close()))
  }

  /**
   * Closes the sockets of the threads when the process exits without closing its servers. Terminating a thread with
   * an open socket would abort the process and change its exit code.
   */
  readonly #leave = (): void => {
    const left = new Int32Array(this.#left)
    for (const { thread } of this.#seats) thread.leave()
    const until = performance.now() + LEAVE_MS
    let count = Atomics.load(left, 0)
    while (count < this.#seats.length && performance.now() < until) {
      Atomics.wait(left, 0, count, until - performance.now())
      count = Atomics.load(left, 0)
    }
  }

  async #listen(options: ServerOptions, answersHttp: boolean): Promise<Server> {
    // Loaded on this thread first: the library reads the process environment when it loads, and a worker has only a
    // copy.
    await loadUws()
    const watch = options.tls && (await CertificateWatcher.open(options.tls))
    const { port, release } = await reservePort(options.host, options.port)
    const server: OpenServer = {
      number: ++this.#lastServer,
      options,
      port,
      answersHttp,
      connections: SharedSum.make(1),
      watch,
    }
    try {
      this.#start()
      const opened = await Promise.allSettled(this.#seats.map((seat) => this.#open(seat, server)))
      const failed = opened.find((one) => one.status === 'rejected')
      if (failed !== undefined) throw failed.reason
    } catch (thrown) {
      await this.#close(server, 0)
      throw thrown
    } finally {
      await release()
    }
    this.#servers.add(server)
    watch?.start(async () => {
      await Promise.all(this.#seats.map(({ thread }) => thread.renew(server.number)))
    })
    let closing: Promise<void> | undefined
    return {
      host: options.host,
      port,
      close: (graceMs) => {
        closing ??= this.#close(server, graceMs)
        return closing
      },
    }
  }

  #start(): void {
    if (this.#seats.length > 0) return
    process.on('exit', this.#leave)
    for (let i = 0; i < this.#options.threads; i++) {
      const seat: Seat = {
        thread: this.#startThread(() => this.#replace(seat)),
        startedAt: performance.now(),
        parts: new Map(),
        pause: new RestartPause(),
      }
      this.#seats.push(seat)
    }
  }

  #startThread(onDeath: () => void): RpcWorkerHandle {
    const { script, start, onNote, onQuestion } = this.#options
    const number = ++this.#lastThread
    const { data, transfer, onExit } = start()
    return new RpcWorkerHandle({
      script,
      workerData: { data, left: this.#left },
      transfer,
      onExit,
      onNote: (note) => onNote(number, note),
      onQuestion,
      onDeath: (error) => {
        this.#options.onDeath(error)
        onDeath()
      },
    })
  }

  /** Replaces a dead thread after a delay. */
  #replace(seat: Seat): void {
    const parts = [...seat.parts]
    seat.parts.clear()
    // Its counters decrease while it closes its connections.
    void seat.thread.ended.then(() => {
      for (const [server, part] of parts) takeBack(server, part)
    })
    if (this.#isClosed) return
    const timer = startTimer(
      () => {
        this.#restarts.delete(timer)
        seat.thread = this.#startThread(() => this.#replace(seat))
        seat.startedAt = performance.now()
        // A failure means that the thread died or another process took the port. The other threads continue to serve.
        for (const server of this.#servers) {
          this.#open(seat, server).catch((thrown) => this.#options.onDeath(thrown))
        }
      },
      seat.pause.after(performance.now() - seat.startedAt),
    )
    this.#restarts.add(timer)
  }

  #open(seat: Seat, server: OpenServer): Promise<void> {
    const { options, port, answersHttp, connections, number } = server
    const { work, host, maxBodyBytes, bodyIdleMs, maxConnections, tls, hosts, webSocket } = options
    const parts = {
      connections: connections.allocatePart(),
      held: work.held.allocatePart(),
      reserved: work.reserved.allocatePart(),
    }
    seat.parts.set(server, parts)
    return seat.thread.listen(number, options, {
      host,
      port,
      maxBodyBytes,
      bodyIdleMs,
      maxConnections,
      ...parts,
      maxHeldBytes: work.maxHeldBytes,
      tls: tls && { certificate: tls.certificate, key: tls.key },
      hosts: hosts?.names,
      webSocket: webSocket && { origins: webSocket.origins?.origins },
      answersHttp,
    })
  }

  async #close(server: OpenServer, graceMs: number): Promise<void> {
    server.watch?.close()
    this.#servers.delete(server)
    await Promise.all(
      this.#seats.map(async (seat) => {
        await seat.thread.closeServer(server.number, graceMs)
        this.#takeBack(seat, server)
      }),
    )
  }

  #takeBack(seat: Seat, server: OpenServer): void {
    const parts = seat.parts.get(server)
    if (parts === undefined) return
    seat.parts.delete(server)
    takeBack(server, parts)
  }
}

function takeBack({ connections, options }: OpenServer, parts: Parts): void {
  connections.freePart(parts.connections)
  options.work.held.freePart(parts.held)
  options.work.reserved.freePart(parts.reserved)
}

interface ReservedPort {
  readonly port: number
  readonly release: () => Promise<void>
}

/**
 * Reserves a port that several threads may share but no other process has: a process that also shared it would
 * receive a part of the connections. The reservation lasts until it is released, after the threads listen. A free
 * port (`port` 0) is reserved by a socket, any other by a lock.
 * @throws PORT_IN_USE
 */
async function reservePort(host: string, port: number): Promise<ReservedPort> {
  if (port === 0) return holdPort(host, port, true)
  const unlock = await lockPort(port)
  try {
    const held = await holdPort(host, port, false)
    await held.release()
  } catch (thrown) {
    await unlock()
    throw thrown
  }
  return { port, release: unlock }
}

/** @throws PORT_IN_USE */
async function holdPort(host: string, port: number, reusePort: boolean): Promise<ReservedPort> {
  const holder = createServer()
  await new Promise<void>((resolve, reject) => {
    holder.once('error', (cause) => reject(addressError(host, port, cause)))
    holder.listen({ host, port, exclusive: true, reusePort }, resolve)
  })
  const address = holder.address()
  if (address === null || typeof address === 'string') {
    throw new LockstepError(
      'INVALID_ARGUMENT',
      `${host} has no ports: give an IP address or a host name`,
    )
  }
  return {
    port: address.port,
    release: () => new Promise<void>((resolve) => holder.close(() => resolve())),
  }
}
