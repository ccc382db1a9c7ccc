import { workerData } from 'node:worker_threads'
import { Mutex } from '../../base/mutex.ts'
import { sendNote, serveWork } from '../../base/worker/serve-work.ts'
import { type Engine, loadEngine } from '../../evm/engine/engine.ts'
import { AddressStore } from '../../storage/store/address/address-store.ts'
import { WorkerState } from '../trace-pool/remote-state.ts'
import { StatePort } from '../trace-pool/state-port.ts'
import { FOLLOWING_NICENESS, lowerPriority } from '../trace-pool/thread-priority.ts'
import { addressBlockOf } from './block-rows.ts'
import type { AddressIndexWorkerData, ToAddressIndexWorker } from './index-messages.ts'

// The worker that replays finished blocks and writes the index. The main thread sends the blocks and answers its
// state reads.

const { dir, modules, area } = workerData as AddressIndexWorkerData

lowerPriority(FOLLOWING_NICENESS)

const store = new AddressStore(dir, { isShared: true })

const port = new StatePort(area, sendNote<number>)

/** A failed run leaves an engine that must not be used for another block. */
let engine: Promise<Engine> | undefined

async function work(message: ToAddressIndexWorker): Promise<void> {
  switch (message.kind) {
    case 'add': {
      engine ??= loadEngine(modules.engine, modules)
      const blocks = []
      for (const [i, source] of message.blocks.entries()) {
        const view = new WorkerState(port, message.firstRun + i)
        blocks.push(await addressBlockOf(source, await engine, view))
      }
      store.add(blocks)
      store.prune(message.pruneHeight)
      break
    }
    case 'cut':
      store.cut(message.height)
      break
    case 'close':
      await store.close()
      break
  }
}

const mutex = new Mutex()

serveWork((message: ToAddressIndexWorker) =>
  mutex.runExclusive(() =>
    work(message).catch((thrown) => {
      engine = undefined
      throw thrown
    }),
  ),
)
