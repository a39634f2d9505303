/**
 * A test runner for Stryker. It runs the suites in Stryker's own worker by Jest's engine (jest-circus), with the project's
 * environment for tests (test/jest). Stryker's runner for Jest starts Jest again for each mutant, which takes longer than most of
 * our tests. Here a mutant costs only the tests that run its code, until one fails: first those that detected other mutants of its
 * file, then the quickest suites.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import Module, { createRequire } from 'node:module';
import { join, sep } from 'node:path';

import { commonTokens, declareClassPlugin, PluginKind, tokens } from '@stryker-mutator/api/plugin';
import { determineHitLimitReached, DryRunStatus, TestStatus, toMutantRunResult } from '@stryker-mutator/api/test-runner';

const require = createRequire(import.meta.url);
const PACKAGES = `${sep}node_modules${sep}`;
/** Milliseconds of each test in the run without a mutant. Each worker of Stryker reads them. */
const DURATIONS = '.durations.json';
/**
 * Milliseconds for a hook, or for a test beyond three times its own duration, while a mutant is active. A mutant that never
 * answers would otherwise take the suite's own limit.
 */
const LIMIT_WITH_MUTANT = 5_000;
/** So many of the tests that detected mutants of a file are tried first on its other mutants. */
const LIKELY_TESTS = 6;
const TEST_TIMEOUT = Symbol.for('TEST_TIMEOUT_SYMBOL');
const EVENT_HANDLERS = Symbol.for('EVENT_HANDLERS');

/** @returns whether a file is loaded again for each suite: our own modules and, because they keep connections, the packages that we ship. */
const isOurs = (path, shipped) => {
	const [, inPackages] = path.split(PACKAGES);
	return inPackages === undefined || shipped.some((name) => inPackages.startsWith(name + sep));
};

/** @returns the name of a test after its suite and its describe blocks, as `suite > block > test`. */
function idOf(suite, test) {
	const names = [];
	for (let at = test; at.parent !== undefined; at = at.parent) names.unshift(at.name);
	return [suite, ...names].join(' > ');
}
const suiteOf = (id) => id.split(' > ', 1)[0];

class InProcessRunner {
	static inject = tokens(commonTokens.options);
	/** By file: the tests that detected its mutants, the latest first. */
	killers = new Map();

	constructor({ suites }) {
		this.suites = suites;
	}

	capabilities() {
		return { reloadEnvironment: true };
	}

	async init() {
		process.env.NODE_ENV = 'test';
		this.stryker = globalThis.__stryker__ ??= {};
		const inSandbox = createRequire(join(process.cwd(), 'package.json'));
		this.config = inSandbox('./jest.config.js');
		this.Environment = inSandbox('./test/jest/environment.js');
		this.shipped = Object.keys(inSandbox('./package.json').dependencies);
		this.transpile(inSandbox('@swc/core').transformSync);
		this.circus = require('jest-circus');
		this.expect = require('@jest/expect').jestExpect;
		for (const name of ['describe', 'it', 'test', 'beforeAll', 'beforeEach', 'afterAll', 'afterEach']) globalThis[name] = this.circus[name];
		globalThis.expect = this.expect;
		this.circus.addEventHandler((event) => this.observe(event));
	}

	/** TypeScript is loaded as Jest loads it: with the timers of the suite that runs. */
	transpile(transformSync) {
		const [, options] = this.config.transform['\\.ts$'];
		const sources = new Map();
		Module._extensions['.ts'] = (module, filename) => {
			if (!sources.has(filename)) {
				const { code } = transformSync(readFileSync(filename, 'utf8'), {
					...options,
					sourceMaps: false,
					filename,
					configFile: false,
					swcrc: false,
				});
				sources.set(filename, `var {setTimeout,setInterval}=globalThis.timersOfSuite;${code}`);
			}
			module._compile(sources.get(filename), filename);
		};
		// A node's `.node.ts` comes before its `.node.json`, as in Jest.
		const { '.json': json } = Module._extensions;
		delete Module._extensions['.json'];
		Module._extensions['.json'] = json;
	}

	async dryRun() {
		this.stryker.mutantCoverage = { static: {}, perTest: {} };
		const tests = await this.run(this.suites);
		writeFileSync(DURATIONS, JSON.stringify(tests.map(({ id, timeSpentMs }) => [id, timeSpentMs])));
		return { status: DryRunStatus.Complete, tests, mutantCoverage: this.stryker.mutantCoverage };
	}

	async mutantRun({ activeMutant, sandboxFileName, testFilter, hitLimit, disableBail }) {
		this.readDurations();
		const chosen = testFilter ?? [...this.durations.keys()];
		const killers = this.killers.get(sandboxFileName) ?? [];
		const likely = killers.filter((id) => chosen.includes(id));
		// Child processes of the tests read the variable.
		process.env.__STRYKER_ACTIVE_MUTANT__ = activeMutant.id;
		Object.assign(this.stryker, { activeMutant: activeMutant.id, hitLimit, hitCount: hitLimit === undefined ? undefined : 0 });
		try {
			const tests = await this.runChosen([likely, chosen.filter((id) => !likely.includes(id))], !disableBail);
			const killer = tests.find(({ status }) => status === TestStatus.Failed)?.id;
			if (killer !== undefined) this.killers.set(sandboxFileName, [...new Set([killer, ...killers])].slice(0, LIKELY_TESTS));
			const outOfHits = determineHitLimitReached(this.stryker.hitCount, hitLimit);
			return toMutantRunResult(outOfHits ?? { status: DryRunStatus.Complete, tests }, disableBail);
		} finally {
			delete process.env.__STRYKER_ACTIVE_MUTANT__;
			Object.assign(this.stryker, { activeMutant: undefined, hitLimit: undefined, hitCount: undefined });
		}
	}

	/** Runs one group of tests after the other, and in each the suite that takes the least time first. */
	async runChosen(groups, untilFailed) {
		const results = [];
		for (const group of groups) {
			const costs = new Map();
			for (const id of group) costs.set(suiteOf(id), (costs.get(suiteOf(id)) ?? 0) + (this.durations.get(id) ?? 0));
			const suites = [...costs.keys()].sort((one, other) => costs.get(one) - costs.get(other));
			results.push(...(await this.run(suites, { chosen: new Set(group), untilFailed })));
			if (untilFailed && results.some(({ status }) => status === TestStatus.Failed)) break;
		}
		return results;
	}

	readDurations() {
		if (this.durations !== undefined) return;
		this.durations = new Map(JSON.parse(readFileSync(DURATIONS, 'utf8')));
	}

	/** @returns the results of the chosen tests of these suites, or of all their tests. */
	async run(suites, { chosen, untilFailed = false } = {}) {
		const results = [];
		for (const suite of suites) {
			results.push(...(await this.runSuite(suite, chosen, untilFailed)));
			if (untilFailed && this.current.hasFailed) break;
		}
		return results;
	}

	async runSuite(suite, chosen, untilFailed) {
		const environment = new this.Environment();
		const { moduleMocker: mocker } = environment;
		globalThis.timersOfSuite = environment.timers;
		globalThis[TEST_TIMEOUT] = this.config.testTimeout;
		globalThis.jest = {
			fn: mocker.fn.bind(mocker),
			spyOn: mocker.spyOn.bind(mocker),
			restoreAllMocks: () => mocker.restoreAllMocks(),
			setTimeout: (ms) => (globalThis[TEST_TIMEOUT] = ms),
		};
		this.circus.resetState();
		this.current = { suite, chosen, untilFailed, results: [], hasFailed: false };
		await this.dispatch({ name: 'setup', parentProcess: process });
		try {
			this.load(suite);
			this.skipOthers(this.circus.getState().rootDescribeBlock);
			await this.circus.run();
			const { unhandledErrors, rootDescribeBlock } = this.circus.getState();
			if (unhandledErrors.length > 0) this.fail(`${suite} as a whole`, unhandledErrors[0]);
			environment.handleTestEvent({ name: 'teardown' }, { rootDescribeBlock });
		} catch (error) {
			this.fail(`${suite} as a whole`, error);
		} finally {
			await this.dispatch({ name: 'teardown' });
			mocker.restoreAllMocks();
			await environment.teardown();
		}
		return this.current.results;
	}

	load(suite) {
		for (const path of Object.keys(require.cache)) if (isOurs(path, this.shipped)) delete require.cache[path];
		for (const file of [...this.config.setupFilesAfterEnv, `<rootDir>/${suite}`]) require(file.replace('<rootDir>', process.cwd()));
	}

	/** @returns whether the block has a test to run. */
	skipOthers(block) {
		const { chosen, suite } = this.current;
		const runs = block.children.map((child) => {
			if (child.type === 'describeBlock') return this.skipOthers(child);
			if (chosen?.has(idOf(suite, child)) === false) child.mode = 'skip';
			return child.mode !== 'skip';
		});
		if (!runs.includes(true)) block.mode = 'skip';
		return runs.includes(true);
	}

	observe({ name, test, hook }) {
		const { current, expect, stryker } = this;
		const shorten = (subject, limit) => {
			if (stryker.activeMutant !== undefined) subject.timeout = Math.min(subject.timeout ?? limit, limit);
		};
		if (name === 'hook_start') shorten(hook, LIMIT_WITH_MUTANT);
		if (name === 'test_start') {
			if (current.hasFailed && current.untilFailed) test.mode = 'skip';
			stryker.currentTestId = idOf(current.suite, test);
			shorten(test, LIMIT_WITH_MUTANT + 3 * (this.durations?.get(stryker.currentTestId) ?? 0));
			expect.setState({ assertionCalls: 0, expectedAssertionsNumber: null, isExpectingAssertions: false, suppressedErrors: [] });
		}
		if (name === 'test_done') {
			test.errors.push(...expect.extractExpectedAssertionsErrors().map(({ error }) => error));
			stryker.currentTestId = undefined;
			if (test.errors.length > 0) this.fail(idOf(current.suite, test), test.errors[0], test.duration);
			else this.result(TestStatus.Success, idOf(current.suite, test), test.duration);
		}
		if (name === 'test_skip') this.result(TestStatus.Skipped, idOf(current.suite, test), 0);
	}

	result(status, id, timeSpentMs, more = {}) {
		this.current.results.push({
			status,
			id,
			name: id,
			fileName: join(process.cwd(), this.current.suite),
			timeSpentMs: timeSpentMs ?? 0,
			...more,
		});
	}

	fail(id, error, timeSpentMs = 0) {
		this.current.hasFailed = true;
		const [first] = Array.isArray(error) ? error : [error];
		this.result(TestStatus.Failed, id, timeSpentMs, { failureMessage: String(first?.stack ?? first) });
	}

	async dispatch(event) {
		for (const handler of globalThis[EVENT_HANDLERS]) await handler(event, this.circus.getState());
	}
}

export const strykerPlugins = [declareClassPlugin(PluginKind.TestRunner, 'in-process', InProcessRunner)];
export const strykerValidationSchema = {
	properties: { suites: { description: 'Paths of the suites, from the root of the project.', type: 'array', items: { type: 'string' } } },
};
