-- What Quarto does with shortcodes, for pandoc: a paragraph {{< fairlane NAME key=value >}} becomes what the shortcode
-- returns. `shortcode` in the metadata is the file that defines them.

local script

quarto = {
  doc = {
    is_format = function(name) return name == "html:js" and FORMAT:match("^html") ~= nil end,
    add_html_dependency = function(dependency) script = dependency.head end,
  },
}

-- The words of a shortcode; quotes hold several together, and become Quoted where pandoc is smart.
local function words(source)
  local positional, named = {}, {}
  for word in source:gsub("%b\"\"", function(quoted) return (quoted:sub(2, -2):gsub(" ", "\0")) end):gmatch("%S+") do
    word = word:gsub("\0", " ")
    local key, value = word:match("^([%w-]+)=(.*)$")
    if key then named[key] = pandoc.Inlines(value) else table.insert(positional, pandoc.Inlines(word)) end
  end
  return positional, named
end

function Pandoc(document)
  local shortcodes = dofile(pandoc.utils.stringify(document.meta.shortcode))
  document.blocks = document.blocks:walk({
    Para = function(paragraph)
      local source = pandoc.write(pandoc.Pandoc({ paragraph }), "markdown-smart", { wrap_text = "wrap-none" })
      local name, rest = source:gsub("\\([^%w])", "%1"):match("^{{<%s+(%S+)%s+(.-)%s+>}}%s*$")
      if not name then return end
      local positional, named = words(rest)
      return shortcodes[name](positional, named, document.meta)
    end,
  })
  if script then document.meta["header-includes"] = pandoc.RawBlock("html", script) end
  return document
end
