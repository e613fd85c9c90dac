import { reportPage } from '../../ops/report_page.ts';
import type { RunReport } from '../../pipelines/report/report.ts';
import { readDetail } from '../../pipelines/views/run_detail.ts';
import { readReportBefore, readRun } from '../../pipelines/views/run_reports.ts';
import { checkPage, writePage } from '../../store/system/output_path.ts';
import { loadConfig } from '../load_config.ts';
import { printLine } from '../print.ts';
import { renderReport } from '../render.ts';
import { renderRun } from '../render_run.ts';
import { wholeFlag } from '../whole_flag.ts';
import { type InspectFlags, inspect, withConfiguredClient } from './inspect.ts';

/** Prints the report of a run, or writes it as a page. */
export async function reportCommand(
  run: string | undefined,
  flags: InspectFlags & { html?: string },
): Promise<void> {
  const id = run === undefined ? null : wholeFlag('run', run, 1);
  if (flags.html === undefined) {
    let before: RunReport | null = null;
    await inspect(
      flags,
      async (client) => {
        const { report } = await readRun(client, id);
        before = await readReportBefore(client, report.run_id);
        return report;
      },
      (report) => (flags.verbose ? renderReport(report) : renderRun(report, before)),
    );
    return;
  }
  await checkPage(flags.html);
  const { config } = await loadConfig(flags);
  const { report, detail, line } = await withConfiguredClient(config, async (client) => {
    const { report, line } = await readRun(client, id);
    return { line, report, detail: await readDetail(client, report.publication) };
  });
  await writePage(flags.html, reportPage(report, detail, line));
  const text = `Wrote the report of run ${report.run_id} to ${flags.html}.`;
  printLine(flags.json ? JSON.stringify({ run_id: report.run_id, html: flags.html }) : text);
}
