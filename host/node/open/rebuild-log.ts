import type { Logger } from '../../base/log/logger.ts'

/** How far stores are that are built again. */
export interface RebuildStep {
  readonly from: number
  readonly height: number
  /** Undefined where it is not known. */
  readonly to: number | undefined
}

const PROGRESS_MS = 5000

/** Logs the first step, the last one, and one every few seconds between. */
export function rebuildLog(logger: Logger, message: string): (step: RebuildStep) => void {
  let saidAt = Number.NEGATIVE_INFINITY
  return ({ from, height, to }) => {
    if (height !== to && performance.now() - saidAt < PROGRESS_MS) return
    saidAt = performance.now()
    logger.info(message, { fromHeight: from, height, ...(to !== undefined && { toHeight: to }) })
  }
}
