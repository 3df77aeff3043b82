// Says so when this page cannot be shown: an older browser than it is made for, or a part that did not load. Plain
// script of 2009, with its own words and looks, since nothing else may be there.
(function () {
  var OLD = [
    '\u8fd9\u4e2a\u6d4f\u89c8\u5668\u592a\u65e7\uff0c\u6253\u4e0d\u5f00\u672c\u9875\u3002\u8bf7\u66f4\u65b0\u5b83\uff0c\u6216\u7528\u53e6\u4e00\u4e2a\u6d4f\u89c8\u5668\u6253\u5f00\u8fd9\u4e2a\u94fe\u63a5\u3002',
    'This browser is too old for this page. Please update it, or open the link in another browser.',
  ];
  var PARTIAL = [
    '\u672c\u9875\u6ca1\u6709\u5b8c\u6574\u52a0\u8f7d\u3002\u8bf7\u91cd\u65b0\u52a0\u8f7d\u3002',
    'A part of this page did not load. Please reload it.',
  ];
  var isTold = false;

  function show(lines, isPartial) {
    var box = document.createElement('div');
    box.setAttribute('role', 'alert');
    box.setAttribute('data-testid', 'not-shown');
    box.style.cssText =
      'position:fixed;top:0;right:0;bottom:0;left:0;z-index:99;padding:30vh 24px 0;background:#6d0c16;color:#ffe9bd;font:18px/1.5 sans-serif;text-align:center';
    for (var i = 0; i < lines.length; i++) {
      var line = document.createElement('p');
      line.appendChild(document.createTextNode(lines[i]));
      box.appendChild(line);
    }
    if (isPartial) {
      var button = document.createElement('button');
      button.style.cssText =
        'padding:12px 28px;border:0;border-radius:24px;background:#f1b94e;color:#5c0a11;font:inherit';
      button.appendChild(document.createTextNode('\u91cd\u65b0\u52a0\u8f7d \u00b7 Reload'));
      button.onclick = function () {
        location.reload();
      };
      box.appendChild(button);
    }
    document.documentElement.appendChild(box);
  }

  function tell(lines, isPartial) {
    if (isTold) return;
    isTold = true;
    if (document.body) show(lines, isPartial);
    else
      document.addEventListener('DOMContentLoaded', function () {
        show(lines, isPartial);
      });
  }

  function onError(event) {
    var target = event.target;
    if (target && (target.tagName === 'SCRIPT' || (target.tagName === 'LINK' && target.rel === 'stylesheet')))
      tell(PARTIAL, true);
    else if (/SyntaxError/.test(String(event.message))) tell(OLD, false);
  }

  window.addEventListener('error', onError, true);
  // Later parts of the page say themselves what did not load.
  window.addEventListener('load', function () {
    window.removeEventListener('error', onError, true);
  });
  if (!('noModule' in document.createElement('script')) || typeof BigInt === 'undefined' || !Promise.allSettled)
    tell(OLD, false);
})();
