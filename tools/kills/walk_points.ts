import type { Progress } from '../../pipelines/report/progress.ts';
import type { OnRunEvent } from '../../pipelines/report/run_event.ts';

/** A moment of a run that comes once: `dataset gnaf is read`, `stage address_home ends`. */
export type Point = string;

/** What a run is given so that its points are heard of, each while the run stands still at it. */
export interface Watch {
  progress: Progress;
  onEvent: OnRunEvent;
}

/**
 * Hears of a dataset as its parts begin to be read, are read and are active, and of a stage as it begins, has its first batch
 * recorded though not its last, and ends.
 */
export function watchPoints(onPoint: (point: Point) => void): Watch {
  const open = new Map<string, number>();
  return {
    progress: {
      start: (name) => {
        const dataset = /^load (.*)$/.exec(name)?.[1];
        if (dataset !== undefined) onPoint(`dataset ${dataset} begins`);
        return {
          done: () => undefined,
          rows: () => undefined,
          end: () => {
            if (dataset !== undefined) onPoint(`dataset ${dataset} is read`);
          },
        };
      },
    },
    onEvent: (event) => {
      if (event.event === 'dataset_done' && event.dataset.action === 'loaded')
        onPoint(`dataset ${event.dataset.dataset} is active`);
      if (event.event === 'stage_started') {
        open.set(event.stage, event.partitions);
        onPoint(`stage ${event.stage} begins`);
      }
      if (event.event === 'batch_done' && open.get(event.stage)! > event.cells.length) {
        // Once: what is left of the stage is no point of its own.
        open.set(event.stage, 0);
        onPoint(`stage ${event.stage} is under way`);
      }
      if (event.event === 'stage_done') onPoint(`stage ${event.stage.stage} ends`);
    },
  };
}
