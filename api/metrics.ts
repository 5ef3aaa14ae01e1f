const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

interface Series {
  labels: string;
  buckets: number[];
  sum: number;
  count: number;
}

export interface Metrics {
  observe(method: string, route: string, status: number, seconds: number): void;
  /** Prometheus text exposition, version 0.0.4. */
  text(): string;
}

const block = (name: string, type: string, help: string, lines: string[]): string =>
  [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines].join('\n');

export const gauge = (name: string, help: string, value: number): string =>
  block(name, 'gauge', help, [`${name} ${value}`]);

export function createMetrics(): Metrics {
  const requests = new Map<string, number>();
  const durations = new Map<string, Series>();

  return {
    observe(method, route, status, seconds) {
      const labels = `method="${method}",route="${route}"`;
      const counted = `${labels},status="${status}"`;
      requests.set(counted, (requests.get(counted) ?? 0) + 1);
      const series = durations.get(labels) ?? { labels, buckets: BOUNDS.map(() => 0), sum: 0, count: 0 };
      const first = BOUNDS.findIndex((bound) => seconds <= bound);
      if (first >= 0) series.buckets[first] = (series.buckets[first] ?? 0) + 1;
      series.sum += seconds;
      series.count += 1;
      durations.set(labels, series);
    },

    text() {
      const memory = process.memoryUsage();
      const cpu = process.cpuUsage();
      const histogram = [...durations.values()].flatMap(({ labels, buckets, sum, count }) => {
        let below = 0;
        const name = 'http_request_duration_seconds';
        return [
          ...buckets.map((n, i) => {
            below += n;
            return `${name}_bucket{${labels},le="${BOUNDS[i]}"} ${below}`;
          }),
          `${name}_bucket{${labels},le="+Inf"} ${count}`,
          `${name}_sum{${labels}} ${sum}`,
          `${name}_count{${labels}} ${count}`,
        ];
      });
      return `${[
        gauge('process_resident_memory_bytes', 'Resident memory size in bytes.', memory.rss),
        gauge('nodejs_heap_used_bytes', 'Heap in use in bytes.', memory.heapUsed),
        gauge('process_start_time_seconds', 'Start of the process in unix time.', Date.now() / 1000 - process.uptime()),
        block('process_cpu_seconds_total', 'counter', 'User and system CPU time spent.', [
          `process_cpu_seconds_total ${(cpu.user + cpu.system) / 1e6}`,
        ]),
        block(
          'http_requests_total',
          'counter',
          'Requests answered.',
          [...requests].map(([labels, count]) => `http_requests_total{${labels}} ${count}`),
        ),
        block('http_request_duration_seconds', 'histogram', 'Time from request to the end of the answer.', histogram),
      ].join('\n')}\n`;
    },
  };
}
