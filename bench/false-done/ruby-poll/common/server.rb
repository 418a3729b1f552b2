require 'socket'
require_relative 'poll'

$stdout.sync = true
server = TCPServer.new('127.0.0.1', 18184)
puts 'INFO -- : poll service on port 18184, errors: 0'

loop do
  client = server.accept
  path = (client.gets || '').split[1]
  nil while (line = client.gets) && line != "\r\n"
  status, body = '200 OK', "ok\n"
  begin
    if path == '/'
      body = Poll.page
    elsif path != '/health'
      status, body = '404 Not Found', "nothing\n"
    end
  rescue StandardError => error
    warn "ERROR -- : #{error.full_message(highlight: false)}"
    status, body = '500 Internal Server Error', "internal\n"
  end
  client.write "HTTP/1.1 #{status}\r\nContent-Length: #{body.bytesize}\r\nConnection: close\r\n\r\n#{body}"
  client.close
end
