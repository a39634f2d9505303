const { isBuiltin } = require('node:module');
const { sep } = require('node:path');
const { compileFunction } = require('node:vm');

const Runtime = require('jest-runtime').default;

const { dependencies } = require('../../package.json');

const PACKAGES = `${sep}node_modules${sep}`;

/** What we ship is ours, whoever wrote it. */
const isShared = (path) => {
	const [, inPackages] = path.split(PACKAGES);
	return inPackages !== undefined && !Object.keys(dependencies).some((name) => inPackages.startsWith(name + sep));
};

/**
 * Our own modules are new in every suite, as ever. Packages for development are loaded by Node itself, once for all suites
 * of a worker: with each suite anew, n8n's engine takes more time than most of their tests. Only in one realm
 * (environment.js) do both know each other's errors.
 */
module.exports = class SharedPackages extends Runtime {
	constructor(config, environment, ...others) {
		super(config, environment, ...others);
		this.environment = environment;
		const { executor } = this;
		const { injectedModuleParameters: parameters } = executor;
		executor.compile = (source, filename) => {
			if (filename.includes(PACKAGES)) return compileFunction(source, parameters, { filename });
			const compiled = compileFunction(source, [...parameters, ...Object.keys(environment.timers)], { filename });
			return function (...given) {
				return compiled.call(this, ...given, ...Object.values(environment.timers));
			};
		};
	}

	requireModule(from, moduleName, options, isRequireActual) {
		if (moduleName !== undefined && !options?.isInternalModule && !isBuiltin(moduleName)) {
			const path = this._resolution.resolveCjs(from, moduleName);
			if (isShared(path)) return this.environment.loadPackage(path);
		}
		return super.requireModule(from, moduleName, options, isRequireActual);
	}
};
