import Koa from 'koa';
import { koaMiddleware } from '../../../adapters/http/koa.ts';
import { httpSuite } from '../http.suite.ts';

httpSuite({
  name: 'Koa',
  application: (controller, mount) => {
    const app = new Koa();
    app.silent = true;
    app.use((context, next) => {
      context.set('x-host', 'yes');
      return next();
    });
    app.use(koaMiddleware(controller, { mount }));
    app.use((context) => {
      context.status = 418;
    });
    return app.callback();
  },
});
