import { createServer } from 'node:net'
import type { MessagePort } from 'node:worker_threads'
import { LockstepError } from '../../../base/error.ts'
import { RestartPause } from '../../../base/process/restart-pause.ts'
import { startTimer, stopTimer, type Timer } from '../../../base/timer.ts'
import { KeyPairWatch } from '../key-pair-watch.ts'
import { addressError } from '../listen-failure.ts'
import type { Listen, Server, ServerOptions } from '../server.ts'
import { type SharedPart, SharedSum } from '../shared-sum.ts'
import { loadUws } from '../uws-module.ts'
import { lockPort } from './port-lock.ts'
import { ServingThread } from './serving-thread.ts'

/** Milliseconds that the end of the process waits for threads to close their sockets. */
const LEAVE_MS = 1000

/** What a thread is started with. */
export interface ThreadStart {
  /** Plain data that the script is given. */
  readonly data: unknown
  /** Ports in it, which are the thread's from then on. */
  readonly transfer: readonly MessagePort[]
  /** The thread has ended. */
  readonly onExit: () => void
}

export interface ServingThreadsOptions {
  readonly threads: number
  /** What runs on each; it calls `serveOnThread`. */
  readonly script: URL
  /** Called for each thread that starts. */
  readonly start: () => ThreadStart
  /** Hears what a script has to say; `thread` is another number for each thread that was ever started. */
  readonly onNote: (thread: number, note: unknown) => void
  /** Answers what a script asks. */
  readonly onQuestion: (question: unknown) => Promise<unknown>
  /** A thread died; another takes its place. */
  readonly onDeath: (error: LockstepError) => void
}

/** A server as each thread has it. */
interface OpenServer {
  readonly number: number
  readonly options: ServerOptions
  readonly port: number
  readonly answersHttp: boolean
  readonly connections: SharedSum
  readonly watch: KeyPairWatch | undefined
}

/** A part of what is counted over all threads, of one server on one thread. */
interface Parts {
  readonly connections: SharedPart
  readonly held: SharedPart
  readonly reserved: SharedPart
}

/** One of the places for a thread: who has it, and what is counted there by server. */
interface Seat {
  thread: ServingThread
  startedAt: number
  readonly parts: Map<OpenServer, Parts>
  readonly pause: RestartPause
}

/**
 * Serves on threads: each has a socket that listens on the same port, among which the system divides the connections.
 * The handlers are called here, and their answers cross. Threads start with the first server.
 */
export class ServingThreads {
  readonly #options: ServingThreadsOptions
  readonly #seats: Seat[] = []
  readonly #servers = new Set<OpenServer>()
  readonly #left = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)
  #lastServer = 0
  #lastThread = 0
  #restarts = new Set<Timer>()
  #isClosed = false

  constructor(options: ServingThreadsOptions) {
    this.#options = options
  }

  /** @param answersHttp whether the script may answer requests by itself that are no upgrades */
  listener(answersHttp: boolean): Listen {
    return (options) => this.#listen(options, answersHttp)
  }

  /** Ends the threads, whose servers are closed. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const timer of this.#restarts) stopTimer(timer)
    process.off('exit', this.#leave)
    await Promise.all(this.#seats.map(({ thread }) => thread.close()))
  }

  /**
   * The process ends without having closed its servers. It would be aborted if a thread ended with a socket open, so
   * that it ends in another way than it was to.
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
    // Here first: the library reads the process's environment when it loads, of which a thread has a copy.
    await loadUws()
    const watch = options.tls && (await KeyPairWatch.open(options.tls))
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

  #startThread(onDeath: () => void): ServingThread {
    const { script, start, onNote, onQuestion } = this.#options
    const number = ++this.#lastThread
    const { data, transfer, onExit } = start()
    return new ServingThread({
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

  /** Puts another thread into the place of one that died, in a while. */
  #replace(seat: Seat): void {
    const parts = [...seat.parts]
    seat.parts.clear()
    // It counts down while it closes what it has.
    void seat.thread.ended.then(() => {
      for (const [server, part] of parts) takeBack(server, part)
    })
    if (this.#isClosed) return
    const timer = startTimer(
      () => {
        this.#restarts.delete(timer)
        seat.thread = this.#startThread(() => this.#replace(seat))
        seat.startedAt = performance.now()
        // Where one of them fails the thread has died, or another process has taken the port: the others serve.
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
      connections: connections.lend(),
      held: work.held.lend(),
      reserved: work.reserved.lend(),
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
  connections.takeBack(parts.connections)
  options.work.held.takeBack(parts.held)
  options.work.reserved.takeBack(parts.reserved)
}

interface ReservedPort {
  readonly port: number
  readonly release: () => Promise<void>
}

/**
 * A port that threads may share and no other process has: one that listens in the same way would be given a part of the
 * connections. It is kept from others until it is released, once the threads have it: one that is free, where 0 is asked
 * for, by a socket, and any other by a lock.
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
    throw new LockstepError('INVALID_ARGUMENT', `${host} is no address with ports`)
  }
  return {
    port: address.port,
    release: () => new Promise<void>((resolve) => holder.close(() => resolve())),
  }
}
